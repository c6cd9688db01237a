"""What a reader sees of a run: rows as claims finish, then the table, the findings and one sentence.

A terminal gets a rich table in colour; elsewhere stdout gets rows of columns separated by tabs, for other programs,
and stderr the findings and the sentence. The words are those of ``telling``. rich is imported only for a terminal.
"""

from __future__ import annotations

import json
import math
import os
import stat
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import groupby
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from proofs_check.claims.report import Claim, Report
from proofs_check.inputs.expect import CORRECTED, Difference
from proofs_check.inputs.streams import steered, visible
from proofs_check.report import telling

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

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


def console(stream: Any) -> Console:
    """A console of rich on a stream: its own colours and movements, and every text in them visible."""
    from rich.console import Console, ConsoleOptions
    from rich.segment import Segment

    class _Console(Console):
        def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
            for segment in super().render(renderable, options):
                yield segment if segment.control else Segment(visible(segment.text), segment.style)

    return _Console(file=steered(stream), highlight=False)


class Listener(Protocol):
    """Told of a run's progress as it goes."""

    def begin(self, claims: int) -> None:
        """The run starts on so many claims."""

    def claim(self, id: str) -> None:
        """Work on this claim starts."""

    def step(self, id: str, done: int, total: int) -> None:
        """So many parts of this claim's work are done."""

    def finished(self, claim: Claim) -> None:
        """The claim has its verdict."""


# ---- plain lines

#: The columns of a row for other programs.
COLUMNS = ("verdict", "claim", "simulation", "detectable", "samples", "seconds", "derivation", "fidelity")


def plain_row(claim: Claim) -> str:
    """One claim as one line, its columns separated by tabs; "" stands for what there is not."""
    derived, sampled = telling.evidence(claim)
    detectable, samples = claim["simulation"]["detectable"], claim["simulation"]["samples"]
    caught = "" if detectable is None or not samples else f"{detectable:.3g}"
    cells = (claim["verdict"], claim["id"], sampled, caught, samples, f"{claim['seconds']:.1f}", derived)
    return "\t".join(" ".join(str(cell).split()) for cell in (*cells, claim["fidelity"]))


class PlainRows:
    """Prints a line a claim in the order of the catalogue, each as soon as those before it are there."""

    def __init__(self, out: TextIO, ids: Sequence[str]) -> None:
        self.out = out
        #: Why a line could not be written ("" where all could).
        self.failed = ""
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
        # A reader that is gone, or a full disk, must not end the run: its outputs are still to be written.
        try:
            print(text, file=self.out, flush=True)
        except BrokenPipeError:
            pass
        except OSError as error:
            self.failed = self.failed or error.strerror or type(error).__name__


def plain_findings(report: Report, out: TextIO) -> None:
    """The blocks, as indented plain lines."""
    for claim, facts in telling.blocks(report["claims"]):
        print(f"\n{claim['verdict']}: {claim['id']}  ({claim['where']})", file=out)
        for label, text in facts:
            print(f"  {label:<{LABEL}}  {text.rstrip()}".replace("\n", "\n" + " " * (LABEL + 4)), file=out)


# ---- a terminal


class LivePanel:
    """The last verdicts and a progress bar at the bottom of a terminal; gone when the run is over."""

    KEPT = 8

    def __init__(self, console: Console) -> None:
        from rich.live import Live
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            SpinnerColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        self.console = console
        self.lines: list[RenderableType] = []
        self.running: list[str] = []
        self.lock = threading.Lock()
        self.progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TextColumn("claims;"),
            TimeElapsedColumn(),
            TextColumn("gone,"),
            TimeRemainingColumn(),
            TextColumn("left"),
            console=console,
            expand=True,
            # most claims take longer than the half minute whose speed rich would go by
            speed_estimate_period=math.inf,
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
        """Name the claims that are worked on."""
        self.running.append(id)
        self._describe()

    def step(self, id: str, done: int, total: int) -> None:
        """Show how far its simulation is."""
        self.progress.update(self.task, description=f"{id}  part {done} of {total};")

    def _describe(self) -> None:
        self.progress.update(self.task, description=", ".join(self.running))

    def finished(self, claim: Claim) -> None:
        """Add the verdict to the list."""
        from rich.text import Text

        line = Text(no_wrap=True, overflow="ellipsis")
        line.append(f"{MARKS[claim['verdict']]} {claim['verdict']:<9}", STYLES[claim["verdict"]])
        line.append(f"  {claim['id']}")
        line.append(f"  {telling.power_in_words(claim)}{claim['seconds']:.1f} s", "dim")
        with self.lock:
            self.lines = [*self.lines[1 - self.KEPT :], line]
        if not claim["id"].endswith(CORRECTED):
            self.progress.advance(self.task)
        if claim["id"] in self.running:
            self.running.remove(claim["id"])
            self._describe()


class Several:
    """Tells several listeners."""

    def __init__(self, listeners: Sequence[Listener]) -> None:
        self.listeners = listeners

    @property
    def failed(self) -> str:
        """Why stdout could not take a row; "" where it took all."""
        return next((rows.failed for rows in self.listeners if isinstance(rows, PlainRows) and rows.failed), "")

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

    def finished(self, claim: Claim) -> None:
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
            panel = LivePanel(console(terminal))
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
    for section, members in groupby(claims, key=lambda claim: telling.group(claim["id"])):
        grid.add_section()
        grid.add_row("", Text(section, style="bold"), *blank)
        for claim in members:
            derived, sampled = telling.evidence(claim)
            name = claim["id"].removeprefix(section + ".")
            name = "  └ corrected" if name.endswith(CORRECTED) else f" {name}{telling.fidelity(claim)}"
            style = STYLES[claim["verdict"]]
            verdict = Text.assemble((MARKS[claim["verdict"]], style), " ", (claim["verdict"], style))
            sides = (Text(derived), Text(sampled)) if wide else (Text(f"{derived}\n{sampled}"),)
            grid.add_row(verdict, Text(name), *sides, Text(telling.power(claim)), f"{claim['seconds']:.1f}")
    return grid


def rich_findings(report: Report, console: Console) -> None:
    """The blocks, with wrapped texts beside their labels."""
    from rich.table import Table
    from rich.text import Text

    for claim, facts in telling.blocks(report["claims"]):
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
    report: Report,
    differences: Sequence[Difference],
    compared: int | None,
    kept: int = 0,
    quiet: bool = False,
) -> None:
    """Print the findings, the table (a pipe has had its rows already), what differs from --expect and the sentence.

    Where stdout is no terminal all of that goes to stderr. ``quiet`` leaves out the table and the findings.

    ``compared`` is the number of expected verdicts, None without --expect; ``kept`` says of how many claims the
    verdict was taken from an earlier run.
    """
    told = [difference.sentence for difference in differences]
    if compared is not None and not told:
        told = [f"{telling.counted(compared, 'verdict')} as expected."]
    elif told:
        told = ["Differs from --expect:", *(f"  {line}" for line in told)]
    if kept:
        claims = telling.counted(kept, "claim")
        told.append(f"{claims} as kept from earlier runs (--why says more, --fresh judges again).")
    if not sys.stdout.isatty():
        if not quiet:
            plain_findings(report, sys.stderr)
            print(file=sys.stderr)
        print(*told, telling.summary(report), sep="\n", file=sys.stderr, flush=True)
        return
    from rich.text import Text

    out = console(sys.stdout)
    if not quiet:
        rich_findings(report, out)
        out.print(table(report["claims"], out.width))
        out.print(Text("Power: the smallest error that would have been caught / samples drawn.", "dim"))
        out.print()
    for line in told:
        out.print(Text(line, "bold red" if differences else "green"))
    out.print(Text(telling.summary(report), "bold"))
    if not quiet and report["claims"]:
        worst = min(report["claims"], key=lambda claim: claim["verdict"] == "verified")
        out.print(Text(f"Next: twofold show {worst['id']}; --html DIR writes pages, --json FILE the report.", "dim"))


def show_plan(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print the cases of a dry run, their samples and predicted seconds, and the sums."""
    width = max((len(row["id"]) for row in rows), default=5)
    for row in [{"id": "claim", "walks": "samples", "seconds": "seconds", "case": "case"}, *rows]:
        seconds, walks, case = row["seconds"], row["walks"], row["case"]
        shown = f"{seconds:.2f}" if isinstance(seconds, (int, float)) else seconds
        if isinstance(case, Mapping):
            case = telling.parameters(case)
        elif not isinstance(case, str):
            case = json.dumps(case)
        print(f"{row['id']:<{width}}  {walks:>12}  {shown:>8}  {case}")
    total = sum(row["walks"] for row in rows)
    seconds = sum(row["seconds"] for row in rows)
    cases, samples = telling.counted(len(rows), "case"), telling.amount(total)
    print(f"{cases}, {samples} samples, about {telling.duration(seconds)}; nothing was judged.")


def show_values(claim: Any, rows: Sequence[Any], symmetric: bool) -> None:
    """Print what `twofold eval` found: for every quantity print, derived value and simulated interval."""
    print(f"{claim.id}: {claim.quantity or claim.where}")
    if not symmetric:
        print("W is not symmetric: the derived value is the general one, the print is evaluated as it stands.")
    for name, target, interval, count, remark in rows:
        print(name)
        print(f"  printed    {_decimal(target.printed)}")
        print(f"  derived    {_decimal(target.derived)}")
        if target.limit:
            claimed = f"; the print's limit is {_decimal(target.claimed)}" if target.claimed is not None else ""
            print(f"  limit      {_decimal(target.true)}{claimed}")
        if interval is None:
            print(f"  simulated  {remark}")
        else:
            ends = f"[{interval.low:.6g}, {interval.high:.6g}]"
            print(f"  simulated  {interval.centre:.6g} in {ends}  ({telling.amount(count)}, {remark})")


def _decimal(value: Any) -> str:
    """An exact number, with its decimals where they say more."""
    if value is None:
        return "nothing here"
    text = str(value)
    return f"{text} = {float(value):.6g}" if "/" in text and len(text) <= 24 else f"{float(value):.9g}"
