"""What a reader sees of a run: rows as claims finish, then the table, the findings and one sentence.

Every text is made here once, as strings. A terminal gets it as a rich table in colour; elsewhere stdout gets rows of
columns separated by tabs, for other programs, and stderr the findings and the sentence. rich is imported only for a
terminal.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import groupby
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from proofs_check.expect import CORRECTED, VERDICTS, Difference
from theorems.catalogue import PAPERS

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

Claim = Mapping[str, Any]
Facts = list[tuple[str, str]]

STYLES = {
    "verified": "green",
    "refuted": "bold red",
    "undecided": "yellow",
    "conflict": "reverse magenta",
    "error": "reverse red",
}
MARKS = {"verified": "✓", "refuted": "✗", "undecided": "?", "conflict": "!", "error": "!"}
#: From this width on the two sides have a column each.
WIDE = 110
#: Width of the labels of a finding.
LABEL = 16
_PARAMETERS = ("i", "j", "T", "theta", "lam", "d", "Sigma", "W", "m", "a", "b", "start")
_STARTS = {"sigma": "x_1 ~ N(0, Sigma)", "zero": "x_1 = 0"}


class Listener(Protocol):
    """Told of a run's progress as it goes."""

    def begin(self, claims: int) -> None:
        """The run starts on so many claims."""

    def claim(self, id: str) -> None:
        """Work on this claim starts."""

    def step(self, id: str, done: int, total: int) -> None:
        """So many parts of this claim's work are done."""

    def finished(self, claim: dict[str, Any]) -> None:
        """The claim has its verdict."""


# ---- texts


def amount(count: int) -> str:
    """A count in three digits: 950, 12.3k, 1.64M."""
    for size, unit in ((10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k")):
        if count >= size:
            return f"{count / size:.3g}{unit}"
    return str(count)


def number(value: Any) -> str:
    """Six digits of a number that was measured; an exact one as it stands."""
    return f"{value:.6g}" if isinstance(value, float) else "none" if value is None else str(value)


def duration(seconds: float) -> str:
    """Seconds as 0.42 s, 12.3 s, 2 min 23 s, 3 h 20 min or 12 d 4 h."""
    if seconds < 60:
        return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.1f} s"
    minutes, hours = int(seconds) // 60, int(seconds) // 3600
    if hours >= 24:
        return f"{hours // 24} d {hours % 24} h"
    return f"{hours} h {minutes % 60} min" if hours else f"{minutes} min {int(seconds) % 60} s"


def _entry(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_entry(part) for part in value) + "]"
    return str(value)


def parameters(params: Mapping[str, Any]) -> str:
    """A case as ``i = 1, d = 1, Sigma = [[1]], W = [[1]], x_1 ~ N(0, Sigma)``."""
    names = [name for name in _PARAMETERS if name in params] + [name for name in params if name not in _PARAMETERS]
    return ", ".join(
        _STARTS.get(str(params[name]), str(params[name])) if name == "start" else f"{name} = {_entry(params[name])}"
        for name in names
    )


def formulas(printed: Mapping[str, str]) -> str:
    """The printed right-hand sides, named where there are several."""
    if len(printed) == 1 and not next(iter(printed.values())).startswith(("if ", "iff ")):
        return next(iter(printed.values()))
    joined = {True: " ", False: " = "}
    return "; ".join(f"{n}{joined[f.startswith(('if ', 'iff '))]}{f}" for n, f in printed.items())


def evidence(claim: Claim) -> tuple[str, str]:
    """The two sides in a few words each: ``proved: contraction``, ``agrees``."""
    symbolic, simulation = claim["symbolic"], claim["simulation"]
    derived = symbolic["status"] + (f": {symbolic['method']}" if symbolic["method"] else "")
    return derived, simulation["status"]


#: How much of a statement is the paper's own.
FIDELITY = {
    "verbatim": "verbatim: the statement stands in the source",
    "inferred": "inferred: the source has a fragment, the setting around it is rebuilt",
    "own": "own: the source has a sentence at most, the precise statement is this project's",
}


def fidelity(claim: Claim) -> str:
    """`` [inferred]`` or `` [own]`` where a statement is not the paper's own words.

    Nothing beside a correction, or beside a lemma that another package brings.
    """
    if claim["fidelity"] == "verbatim" or claim["id"].endswith(CORRECTED) or claim["paper"]["id"] not in PAPERS:
        return ""
    return f" [{claim['fidelity']}]"


def power(claim: Claim) -> str:
    """The smallest error that would have been caught, and the samples it took: ``0.94% / 1.64M``."""
    simulation = claim["simulation"]
    if not simulation["samples"]:
        return "-"
    caught = simulation["detectable"]
    if caught is None:
        return amount(simulation["samples"])
    # Independent evaluations catch errors of rounding size, which no percentage shows well.
    size = f"{100 * caught:.2g}%" if caught >= 1e-4 or caught == 0 else f"{caught:.0e}"
    return f"{size} / {amount(simulation['samples'])}"


def group(name: str) -> str:
    """The paper and section of an id."""
    return ".".join(name.split(".")[:2])


def worst(claim: Claim) -> Mapping[str, Any] | None:
    """The simulated case that is furthest from the print, in standard errors."""
    cases: Sequence[Mapping[str, Any]] = claim["cases"]
    return max(cases, key=lambda case: abs(case["z"] or 0.0), default=None)


def simulated(claim: Claim) -> str:
    """The worst case: the estimate with its interval, beside the print and the derivation there."""
    case = worst(claim)
    if case is None:
        return ""
    interval = ""
    if case["low"] is not None and case["high"] is not None:
        interval = f" in [{number(case['low'])}, {number(case['high'])}]"
    z = f", z = {case['z']:.3g}" if case["z"] is not None else ""
    name = f"{case['quantity']}: " if len(claim["printed"]) > 1 and case["quantity"] else ""
    both = f"print {number(case['printed'])}, derived {number(case['derived'])}"
    drawn = f"{amount(case['samples'])} sample{'s' * (case['samples'] != 1)} at {parameters(case['params'])}"
    return f"{name}{number(case['estimate'])}{interval}; {both}{z} ({drawn})"


#: What is said of a variant of a claim.
HOLDS = {True: "the print holds", False: "the print is false", None: "not decided"}


def starts(claim: Claim) -> str:
    """For which starts of the walk the print is exact, or right to leading order."""
    said = []
    for start in claim["starts"]:
        how = "exact" if start["exact"] else "right to leading order only" if start["leading"] else "wrong"
        said.append(f"{_STARTS.get(start['start'], start['start'])}: {how}")
    return "; ".join(said)


def proof_lines(claim: Claim) -> Facts:
    """The first printed line of the proof that is false, and the first whose error reaches the conclusion."""
    lines = {line["label"]: line for line in claim["proof"]["lines"]}
    facts: Facts = []
    for label, title in (("first_false", "first false line"), ("first_reaching", "reaches the end")):
        name = claim["proof"][label]
        if name is None:
            continue
        line = lines.get(name)
        told = f" ({line['where']}): print {line['printed']}, derived {line['derived']}" if line else ""
        if label == "first_reaching" and name == claim["proof"]["first_false"]:
            told = ", the same line"
        facts.append((title, name + told))
    return facts


def findings(claim: Claim, correction: Claim | None) -> Facts:
    """Everything the run found about one claim, as labelled texts."""
    facts: Facts = []

    def add(label: str, text: str) -> None:
        if text:
            facts.append((label, text))

    if claim["verdict"] in ("undecided", "conflict", "error"):
        add("reason", claim["reason"])
    if claim["verdict"] != "verified":
        add("reading", claim["reading"])
    if fidelity(claim):
        add("fidelity", FIDELITY[claim["fidelity"]])
    add("print", formulas(claim["printed"]))
    exact = claim["symbolic"]["exact"]
    if claim["correction"]:
        add("truth", claim["correction"]["sympy"] or (formulas(correction["printed"]) if correction else ""))
        add("holds", claim["correction"]["holds"])
    else:
        add("derived", exact or "")
    if correction is not None:
        derived, sampled = evidence(correction)
        told = f"{correction['verdict']} ({derived}; simulation {sampled}; {power(correction)})"
        add("correction", told + (f": {correction['reason']}" if correction["reason"] else ""))
    if claim["counterexample"]:
        example = claim["counterexample"]
        values = f"the print gives {number(example['printed'])}, the truth is {number(example['true'])}"
        add("counterexample", f"{parameters(example['params'])}: {values}")
    add("simulated", simulated(claim))
    if claim["verdict"] != "verified":
        add("power", claim["simulation"]["power"])
    add("starts", starts(claim))
    for variant in claim["variants"]:
        add("variant", f"{variant['name']}: {HOLDS[variant['holds']]} ({'; '.join(variant['evidence'])})")
    facts += proof_lines(claim)
    add("rests on refuted", ", ".join(claim["rests_on_refuted"]))
    if claim["decoys"]["of"]:
        add("wrong versions", f"{claim['decoys']['caught']} of {claim['decoys']['of']} caught")
    if claim["verdict"] != "verified":
        add("replay", claim["replay"])
    add("traceback", claim["traceback"] or "")
    return facts


def blocks(claims: Sequence[Claim]) -> Iterator[tuple[Claim, Facts]]:
    """The findings in order of what they ask of the reader: verified first, what broke last.

    A correction that was verified stands with the claim it corrects and has no block of its own.
    """
    table = {claim["id"]: claim for claim in claims}
    for verdict in VERDICTS:
        for claim in claims:
            if claim["verdict"] == verdict:
                if verdict == "verified" and claim["id"].endswith(CORRECTED):
                    continue
                yield claim, findings(claim, table.get(claim["id"] + CORRECTED))


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == 1 else "s")


def tally(claims: Sequence[Claim]) -> str:
    """``12 verified, 10 refuted``."""
    counts = ((sum(claim["verdict"] == verdict for claim in claims), verdict) for verdict in VERDICTS)
    return ", ".join(f"{count} {verdict}" for count, verdict in counts if count) or "none finished"


def summary(report: Mapping[str, Any]) -> str:
    """What was checked and what was found, in one sentence."""
    run = report["run"]
    claims = [claim for claim in report["claims"] if not claim["id"].endswith(CORRECTED)]
    corrections = [claim for claim in report["claims"] if claim["id"].endswith(CORRECTED)]
    how = f"{run['effort']} effort, seed {run['seed']}, {run['device']}"
    text = f"Judged {_counted(len(claims), 'claim')} in {duration(run['seconds'])} ({how}): {tally(claims)}"
    if corrections:
        text += f"; of {_counted(len(corrections), 'correction')} {tally(corrections)}"
    if run["partial"]:
        text += "; interrupted before the rest was judged"
    return f"{text}; the chance of any false alarm was kept below {run['alpha']:g}."


# ---- plain lines

#: The columns of a row for other programs.
COLUMNS = ("verdict", "claim", "simulation", "detectable", "samples", "seconds", "derivation", "fidelity")


def plain_row(claim: Claim) -> str:
    """One claim as one line, its columns separated by tabs; "" stands for what there is not."""
    derived, sampled = evidence(claim)
    detectable, samples = claim["simulation"]["detectable"], claim["simulation"]["samples"]
    caught = "" if detectable is None or not samples else f"{detectable:.3g}"
    cells = (claim["verdict"], claim["id"], sampled, caught, samples, f"{claim['seconds']:.1f}", derived)
    return "\t".join(" ".join(str(cell).split()) for cell in (*cells, claim["fidelity"]))


class PlainRows:
    """Prints a line a claim in the order of the catalogue, each as soon as those before it are there."""

    def __init__(self, out: TextIO, ids: Sequence[str]) -> None:
        self.out = out
        self.ids = list(ids)
        self.waiting: dict[str, Claim] = {}
        self.next = 0
        self.lock = threading.Lock()

    def begin(self, claims: int) -> None:
        """Print the head of the table."""
        self._line("\t".join(COLUMNS))

    def claim(self, id: str) -> None:
        """Nothing is printed before the verdict."""

    def step(self, id: str, done: int, total: int) -> None:
        """Nothing is printed before the verdict."""

    def finished(self, claim: Claim) -> None:
        """Print what can be printed now."""
        with self.lock:
            self.waiting[claim["id"]] = claim
            while self.next < len(self.ids):
                name = self.ids[self.next]
                found = self.waiting.get(name)
                if found is None or (found["correction"] and name + CORRECTED not in self.waiting):
                    break
                self._print(name)
                self._print(name + CORRECTED)
                self.next += 1

    def close(self) -> None:
        """Print whatever was still waiting for its turn."""
        with self.lock:
            for name in self.ids[self.next :]:
                self._print(name)
                self._print(name + CORRECTED)
            for name in list(self.waiting):
                self._print(name)
            self.next = len(self.ids)

    def _print(self, name: str) -> None:
        if claim := self.waiting.pop(name, None):
            self._line(plain_row(claim))

    def _line(self, text: str) -> None:
        # A reader that is gone must not end the run: its outputs are still to be written.
        with contextlib.suppress(BrokenPipeError):
            print(text, file=self.out, flush=True)


def plain_findings(report: Mapping[str, Any], out: TextIO) -> None:
    """The blocks, as indented plain lines."""
    for claim, facts in blocks(report["claims"]):
        print(f"\n{claim['verdict']}: {claim['id']}  ({claim['where']})", file=out)
        for label, text in facts:
            print(f"  {label:<{LABEL}}  {text.rstrip()}".replace("\n", "\n" + " " * (LABEL + 4)), file=out)


# ---- a terminal


class LivePanel:
    """The last verdicts and a progress bar at the bottom of a terminal; gone when the run is over."""

    KEPT = 8

    def __init__(self, console: Console) -> None:
        from rich.live import Live
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        self.console = console
        self.lines: list[RenderableType] = []
        self.lock = threading.Lock()
        self.progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=console,
            expand=True,
        )
        self.task = self.progress.add_task("starting", total=None)
        self.live = Live(self, console=console, transient=True, refresh_per_second=8)

    def __rich__(self) -> RenderableType:
        from rich.console import Group

        with self.lock:
            return Group(*self.lines, self.progress)

    def begin(self, claims: int) -> None:
        """Set the length of the bar."""
        self.progress.update(self.task, total=claims)

    def claim(self, id: str) -> None:
        """Name the claim that is worked on."""
        self.progress.update(self.task, description=id)

    def step(self, id: str, done: int, total: int) -> None:
        """Show how far its simulation is."""
        self.progress.update(self.task, description=f"{id}  {done}/{total}")

    def finished(self, claim: Claim) -> None:
        """Add the verdict to the list."""
        from rich.text import Text

        line = Text(no_wrap=True, overflow="ellipsis")
        line.append(f"{MARKS[claim['verdict']]} {claim['verdict']:<9}", STYLES[claim["verdict"]])
        line.append(f"  {claim['id']}")
        line.append(f"  {power(claim)}  {claim['seconds']:.1f} s", "dim")
        with self.lock:
            self.lines = [*self.lines[1 - self.KEPT :], line]
        if not claim["id"].endswith(CORRECTED):
            self.progress.advance(self.task)


class Several:
    """Tells several listeners."""

    def __init__(self, listeners: Sequence[Listener]) -> None:
        self.listeners = listeners

    def begin(self, claims: int) -> None:
        """Tell all."""
        for listener in self.listeners:
            listener.begin(claims)

    def claim(self, id: str) -> None:
        """Tell all."""
        for listener in self.listeners:
            listener.claim(id)

    def step(self, id: str, done: int, total: int) -> None:
        """Tell all."""
        for listener in self.listeners:
            listener.step(id, done, total)

    def finished(self, claim: dict[str, Any]) -> None:
        """Tell all."""
        for listener in self.listeners:
            listener.finished(claim)


def _is_pipe(stream: TextIO) -> bool:
    try:
        return stat.S_ISFIFO(os.fstat(stream.fileno()).st_mode)
    except (OSError, ValueError):
        return False


@contextmanager
def watching(ids: Sequence[str], quiet: bool = False) -> Iterator[Several]:
    """Listeners for a run on these claims: rows on a piped stdout, a live panel on a terminal; none if ``quiet``.

    With stdout in a pipe the rows are the progress: a panel beside `| tee` would overwrite them.
    """
    with ExitStack() as stack:
        listeners: list[Listener] = []
        if quiet:
            yield Several(listeners)
            return
        if not sys.stdout.isatty():
            rows = PlainRows(sys.stdout, ids)
            stack.callback(rows.close)
            listeners.append(rows)
        terminal = sys.stderr if sys.stderr.isatty() else sys.stdout
        if terminal.isatty() and not _is_pipe(sys.stdout):
            from rich.console import Console

            panel = LivePanel(Console(file=terminal, highlight=False))
            stack.enter_context(panel.live)
            listeners.append(panel)
        yield Several(listeners)


def table(claims: Sequence[Claim], width: int) -> Table:
    """The verdicts as a rich table, a group a section of the paper."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    wide = width >= WIDE
    grid = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1), header_style="bold", expand=False)
    grid.add_column("Verdict", no_wrap=True)
    grid.add_column("Claim", overflow="fold")
    for title in ("Derivation", "Simulation") if wide else ("Evidence",):
        grid.add_column(title, overflow="fold", ratio=None)
    grid.add_column("Power", justify="right", no_wrap=True)
    grid.add_column("Seconds" if wide else "s", justify="right", no_wrap=True)
    blank = [""] * (4 if wide else 3)
    for section, members in groupby(claims, key=lambda claim: group(claim["id"])):
        grid.add_section()
        grid.add_row("", Text(section, style="bold"), *blank)
        for claim in members:
            derived, sampled = evidence(claim)
            name = claim["id"].removeprefix(section + ".")
            name = "  └ corrected" if name.endswith(CORRECTED) else f" {name}{fidelity(claim)}"
            style = STYLES[claim["verdict"]]
            verdict = Text.assemble((MARKS[claim["verdict"]], style), " ", (claim["verdict"], style))
            sides = (Text(derived), Text(sampled)) if wide else (Text(f"{derived}\n{sampled}"),)
            grid.add_row(verdict, Text(name), *sides, Text(power(claim)), f"{claim['seconds']:.1f}")
    return grid


def rich_findings(report: Mapping[str, Any], console: Console) -> None:
    """The blocks, with wrapped texts beside their labels."""
    from rich.table import Table
    from rich.text import Text

    for claim, facts in blocks(report["claims"]):
        style = STYLES[claim["verdict"]]
        title = Text.assemble((f"{MARKS[claim['verdict']]} {claim['verdict']}", style), "  ", (claim["id"], "bold"))
        title.append(f"  {claim['where']}", "dim")
        console.print(title)
        grid = Table.grid(padding=(0, 2))
        grid.add_column(style="dim", no_wrap=True, width=LABEL + 2)
        grid.add_column(overflow="fold")
        for label, text in facts:
            # A command line that was wrapped could not be pasted.
            if label == "replay":
                continue
            grid.add_row(f"  {label}", Text(text.rstrip()))
        console.print(grid)
        for label, text in facts:
            if label == "replay":
                console.print(Text.assemble((f"  {label:<{LABEL}}  ", "dim"), text), soft_wrap=True)
        console.print()


def show_report(
    report: Mapping[str, Any],
    differences: Sequence[Difference],
    compared: int | None,
    kept: int = 0,
    quiet: bool = False,
) -> None:
    """Print the table (a pipe has had its rows already), the findings, what differs from --expect and the sentence.

    Where stdout is no terminal all of that goes to stderr. ``quiet`` leaves out the table and the findings.

    ``compared`` is the number of expected verdicts, None without --expect; ``kept`` says of how many claims the
    verdict was taken from an earlier run.
    """
    told = [difference.sentence for difference in differences]
    if compared is not None and not told:
        told = [f"{_counted(compared, 'verdict')} as expected."]
    elif told:
        told = ["Differs from --expect:", *(f"  {line}" for line in told)]
    if kept:
        told.append(f"{_counted(kept, 'claim')} as kept from earlier runs (--why says more, --fresh judges again).")
    if not sys.stdout.isatty():
        if not quiet:
            plain_findings(report, sys.stderr)
            print(file=sys.stderr)
        print(*told, summary(report), sep="\n", file=sys.stderr, flush=True)
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(file=sys.stdout, highlight=False)
    if not quiet:
        console.print(table(report["claims"], console.width))
        console.print(Text("Power: the smallest error that would have been caught / samples drawn.", "dim"))
        console.print()
        rich_findings(report, console)
    for line in told:
        console.print(Text(line, "bold red" if differences else "green"))
    console.print(Text(summary(report), "bold"))


def show_plan(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print the cases of a dry run, their samples and predicted seconds, and the sums."""
    width = max((len(row["id"]) for row in rows), default=5)
    for row in [{"id": "claim", "walks": "samples", "seconds": "seconds", "case": "case"}, *rows]:
        seconds, walks, case = row["seconds"], row["walks"], row["case"]
        shown = f"{seconds:.2f}" if isinstance(seconds, (int, float)) else seconds
        if isinstance(case, Mapping):
            case = parameters(case)
        elif not isinstance(case, str):
            case = json.dumps(case)
        print(f"{row['id']:<{width}}  {walks:>12}  {shown:>8}  {case}")
    total = sum(row["walks"] for row in rows)
    seconds = sum(row["seconds"] for row in rows)
    print(f"{_counted(len(rows), 'case')}, {amount(total)} samples, about {duration(seconds)}; nothing was judged.")


def show_values(claim: Any, rows: Sequence[Any], symmetric: bool) -> None:
    """Print what `twofold eval` found: for every quantity print, derived value and simulated interval."""
    print(f"{claim.id}: {claim.quantity or claim.where}")
    if not symmetric:
        print("W is not symmetric: the derived value is the general one, the print is evaluated as it stands.")
    for name, target, interval, count, remark in rows:
        print(name)
        print(f"  printed    {_decimal(target.printed)}")
        print(f"  derived    {_decimal(target.derived)}")
        if target.remainder != 0:
            claimed = f"; the print's limit is {_decimal(target.claimed)}" if target.claimed is not None else ""
            print(f"  limit      {_decimal(target.true)}{claimed}")
        if interval is None:
            print(f"  simulated  {remark}")
        else:
            ends = f"[{interval.low:.6g}, {interval.high:.6g}]"
            print(f"  simulated  {interval.centre:.6g} in {ends}  ({amount(count)}, {remark})")


def _decimal(value: Any) -> str:
    """An exact number, with its decimals where they say more."""
    if value is None:
        return "nothing here"
    text = str(value)
    return f"{text} = {float(value):.6g}" if "/" in text and len(text) <= 24 else f"{float(value):.9g}"
