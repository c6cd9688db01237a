"""The command line ``twofold``.

Every argument is checked before any work, and nothing heavy is imported for that: torch only to look for a GPU that
was asked for. Exit status: 0 every claim got its verdict, 1 a conflict, an error or a difference from --expect, 2 a
usage error, 130 interrupted.
"""

from __future__ import annotations

import argparse
import errno
import os
import re
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from proofs_check import __version__
from proofs_check.errors import UsageError, did_you_mean, nearest

if TYPE_CHECKING:
    from proofs_check.expect import Expected
    from proofs_check.kept import Kept
    from theorems.catalogue import Statement

LEMMA_KINDS = ("identity", "asymptotic", "limit", "bound", "order", "construction")
EFFORTS = ("quick", "standard", "thorough")
DEVICES = ("auto", "cpu", "cuda")
TIERS = ("auto", "literal", "fused", "joint")
MAX_SEED, MAX_JOBS, MAX_RUNS, MAX_WALKS = 2**63 - 1, 1024, 1_000_000, 10**15
#: Most characters of a message that quotes an argument.
_TOLD = 200
#: Why a stream takes no more: a full disk, a quota, a broken device, a closed one.
_UNWRITTEN = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EBADF, errno.EFBIG)
#: What the suite does not start without: the name of the module and that of its distribution.
NEEDED = {
    **{name: name for name in ("torch", "sympy", "mpmath", "numpy", "scipy", "hypothesis", "cvxpy", "clarabel")},
    **{name: name for name in ("rich", "matplotlib", "jsonschema", "shtab", "jinja2", "markupsafe")},
    "flint": "python-flint",
    "math_core": "math-core",
}
_INTEGER = re.compile(r"[+-]?[0-9]{1,40}")


class _Parser(argparse.ArgumentParser):
    """Tells what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        """Raise what argparse would print below its usage lines."""
        told = " ".join(message.removeprefix("argument ").split())
        raise _ArgparseError(told if len(told) <= _TOLD else told[: _TOLD - 3] + "...")


class _ArgparseError(Exception):
    pass


@dataclass(frozen=True)
class _Command:
    help: str
    fill: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


# ---- checks


def _integer(argument: str, value: str, low: int, high: int, expected: str) -> int:
    if not _INTEGER.fullmatch(value) or not low <= int(value) <= high:
        raise UsageError(argument, value, expected)
    return int(value)


def _choice(argument: str, value: str, choices: Sequence[str]) -> str:
    if value not in choices:
        near = nearest(value, choices, 1)
        raise UsageError(argument, value, f"one of {', '.join(choices)}", f"nearest: {near[0]}" if near else "")
    return value


def _catalogue(patterns: Sequence[str]) -> dict[str, Statement]:
    """Every claim by id; a folder of the current one that holds a named paper's lemmas is opened first."""
    from proofs_check import plugins
    from theorems import catalogue

    try:
        for pattern in patterns:
            paper = pattern.split(".")[0].strip("*")
            if paper not in catalogue.PAPERS and paper not in plugins.packages():
                plugins.open_folder(paper, Path.cwd())
        plugins.load()
        return catalogue.by_id()
    except catalogue.CatalogueError as error:
        told = str(error)
        told = told if len(told) <= 2 * _TOLD else told[: 2 * _TOLD - 3] + "..."
        raise UsageError("catalogue", "", f"claims that can be used: {told}", verbatim=True) from None


def _selected(patterns: Sequence[str]) -> list[Statement]:
    from theorems.catalogue import select

    table = _catalogue(patterns)
    try:
        return list(select(patterns))
    except KeyError as error:
        name = str(error.args[0])
        raise UsageError("ID", name, "the id of a claim, a glob or a prefix", did_you_mean(name, table)) from None


def _one(name: str) -> Statement:
    """The claim of that id; UsageError with the nearest ids where there is none."""
    table = _catalogue([name])
    if name not in table:
        raise UsageError("ID", name, "the id of one claim", did_you_mean(name, table))
    return table[name]


def _needed(*modules: str) -> None:
    """Refuse before any work what would miss one of these packages after it; raises UsageError."""
    for module in modules:
        if find_spec(module) is None:
            raise UsageError(NEEDED[module], "missing", "it to be installed", "`twofold doctor` says what is missing")


def _device(value: str) -> str:
    _choice("--device", value, DEVICES)
    if value == "cuda":
        mend = "use --device auto or cpu"
        try:
            import torch
        except ImportError:
            raise UsageError(
                "--device", value, "torch to be installed", "`twofold doctor` says what is missing"
            ) from None
        if not torch.cuda.is_available():
            raise UsageError("--device", value, "a CUDA device; torch finds none here", mend)
    return value


# ---- verify


def _fill_verify(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "ids", nargs="*", metavar="ID|GLOB", help="claims by id, glob (* crosses dots) or prefix; all if none"
    )
    parser.add_argument(
        "--effort", default="standard", metavar="|".join(EFFORTS), help="how small an error is looked for"
    )
    parser.add_argument("--seed", default="0", metavar="N", help="seed of the whole run (0 unless given)")
    parser.add_argument("--device", default="auto", metavar="|".join(DEVICES), help="where the model is sampled")
    parser.add_argument(
        "--jobs", metavar="N", help="threads (all there are unless given); verdicts do not depend on it"
    )
    parser.add_argument("--json", metavar="FILE", help="write the report as JSON")
    parser.add_argument("--junit", metavar="FILE", help="write the verdicts as JUnit XML")
    parser.add_argument("--html", metavar="DIR", help="write the report as pages that open from disk")
    parser.add_argument(
        "--expect", metavar="FILE", help="[verdicts] in TOML, or an earlier JSON report, to compare with"
    )
    parser.add_argument("--walks", metavar="N", help="draw so many walks at least in every case")
    parser.add_argument(
        "--tier",
        default="auto",
        metavar="|".join(TIERS),
        help="how walks are sampled; auto takes the fastest direct way",
    )
    parser.add_argument("--cluster", metavar="ADDRESS", help="draw walks on a Dask cluster: tcp://host:port, or a file")
    parser.add_argument("--quiet", action="store_true", help="print the closing sentence and what differs only")
    parser.add_argument("--fresh", action="store_true", help="judge again what is kept from earlier runs too")
    parser.add_argument("--why", action="store_true", help="say of each claim why it was judged, or taken as kept")
    parser.add_argument(
        "--dry-run", action="store_true", help="print cases, samples and predicted seconds; judge nothing"
    )
    parser.add_argument(
        "--case", metavar="JSON", help='judge one claim at one case, {"i": 1, "d": 1, "W": [["1"]], ...}'
    )


def _targets(args: argparse.Namespace) -> dict[str, Path]:
    from proofs_check.outputs import check_apart, check_folder, check_target

    given = {"--json": args.json, "--junit": args.junit}
    targets = {name: check_target(name, value) for name, value in given.items() if value is not None}
    check_apart(given)
    if args.html is not None:
        targets["--html"] = check_folder("--html", args.html)
        _needed("jinja2", "markupsafe", "math_core")
    return targets


def _check_conditions(claim: Statement, case: Mapping[str, Any], given: str) -> None:
    """Refuse a case that the claim says nothing about."""
    from proofs_check.cases import meets

    try:
        inside = meets(claim, case)
    except ValueError as error:
        raise UsageError("--case", given, "a case that the claim's conditions can be read at", str(error)) from None
    if not inside:
        wanted = f"a case with {', '.join(claim.conditions)}"
        raise UsageError("--case", given, wanted, f"{claim.id} is about these only")


def _verify(args: argparse.Namespace) -> int:
    claims = _selected(args.ids)
    effort = _choice("--effort", args.effort, EFFORTS)
    seed = _integer("--seed", args.seed, 0, MAX_SEED, "an integer from 0 to 2**63 - 1")
    jobs = None
    if args.jobs is not None:
        jobs = _integer("--jobs", args.jobs, 1, MAX_JOBS, f"an integer from 1 to {MAX_JOBS}")
    tier = _choice("--tier", args.tier, TIERS)
    if tier in ("fused", "joint") and find_spec("numba") is None:
        raise UsageError("--tier", tier, "numba to be installed", "pip install numba, or use --tier auto")
    walks = 0
    if args.walks is not None:
        walks = _integer("--walks", args.walks, 1, MAX_WALKS, f"an integer from 1 to {MAX_WALKS}")
    case = None
    if args.case is not None:
        from proofs_check.caseinput import parse_case

        if len(claims) != 1:
            raise UsageError("--case", args.case, f"one selected claim; {len(claims)} are", "give one id")
        case = parse_case(args.case, claims[0])
        _check_conditions(claims[0], case, args.case)
    targets = _targets(args)
    expected = None
    if args.expect is not None:
        from proofs_check import expect

        expected = expect.read(args.expect, _catalogue(()), {claim.id for claim in claims})
    # with a cluster the devices are the workers'
    device = _choice("--device", args.device, DEVICES) if args.cluster is not None else _device(args.device)

    from proofs_check import kept, runner

    options = runner.Options(effort=effort, seed=seed, device=device, jobs=jobs, case=case, walks=walks, tier=tier)
    with ExitStack() as stack:
        if args.cluster is not None:
            from proofs_check import cluster

            there = stack.enter_context(cluster.connected(cluster.check_address(args.cluster)))
            options = replace(options, elsewhere=there)
        if args.dry_run:
            from proofs_check.terminal import show_plan

            show_plan(runner.plan(claims, options))
            return 0
        return _judge(runner.run, claims, options, args, targets, expected, kept.opened(args.fresh))


def _judge(
    run: Callable[..., dict[str, Any]],
    claims: Sequence[Statement],
    options: Any,
    args: argparse.Namespace,
    targets: dict[str, Path],
    expected: Expected | None,
    kept: Kept,
) -> int:
    from proofs_check import outputs, terminal
    from proofs_check.expect import differences

    with terminal.watching([claim.id for claim in claims], args.quiet) as progress:
        report = run(claims, options, progress, kept)
    report["run"]["command"] = args.command_line
    partial = report["run"]["partial"]
    differs = differences(expected, report["claims"], partial, report["run"]["effort"]) if expected is not None else []

    unwritten = [f"twofold: error: stdout: could not be written ({progress.failed})"] if progress.failed else []
    for name, path in targets.items():
        try:
            if name == "--json":
                outputs.write_json(report, path)
            elif name == "--html":
                _write_site(report, path)
            else:
                outputs.write_junit(report, path, differs)
        except OSError as error:
            unwritten.append(f"twofold: error: {name} {path}: could not be written ({error.strerror or error})")
    terminal.show_report(report, differs, None if expected is None else len(expected), kept.hits, args.quiet)
    for line in _told_of(kept, args.why) + unwritten:
        print(line, file=sys.stderr)
    if "stopped" in report["run"]:
        print(f"twofold: error: {report['run']['stopped']}; run it again, what was judged is kept", file=sys.stderr)
        return 1
    if partial:
        return 130
    broken = any(claim["verdict"] in ("conflict", "error") for claim in report["claims"])
    return 1 if broken or differs or unwritten else 0


def _write_site(report: Mapping[str, Any], folder: Path) -> None:
    """The report as pages; an earlier report in the folder is what it is compared with."""
    from proofs_check import outputs, site
    from proofs_check.reading import read_report

    before = None
    if (folder / "report.json").is_file():
        # what cannot be read is no reason to keep back what was found
        with suppress(UsageError):
            before = read_report("--html", str(folder / "report.json"))
    site.write(outputs.plain(report), folder, before=before)


def _told_of(kept: Kept, why: bool) -> list[str]:
    """Why each claim was judged or taken as kept, where that is asked for, and what could not be kept."""
    lines = [f"{name}: {reason}" for name, reason in kept.reasons.items()] if why else []
    return lines + ([f"twofold: {kept.trouble}"] if kept.trouble else [])


# ---- list, show, doctor


def _fill_list(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ids", nargs="*", metavar="ID|GLOB", help="claims by id, glob or prefix; all if none")


def _list(args: argparse.Namespace) -> int:
    rows = [(claim.id, claim.kind, claim.where, claim.fidelity) for claim in _selected(args.ids)]
    if not sys.stdout.isatty():
        for row in rows:
            print("\t".join(row))
        return 0
    head = ("id", "kind", "where", "fidelity")
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(4)]
    space = shutil.get_terminal_size().columns - sum(widths) + widths[2] - 6
    widths[2] = max(12, min(widths[2], space))
    for row in (head, *rows):
        where = row[2] if len(row[2]) <= widths[2] else row[2][: widths[2] - 1] + "…"
        cells = (row[0], row[1], where, row[3])
        print("  ".join(f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=True)).rstrip())
    return 0


def _fill_show(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the id of a claim, or <id>.corrected")


def _show(args: argparse.Namespace) -> int:
    from theorems.catalogue import CORRECTED, base_id, rests_on

    table = _catalogue([args.id])
    claim = table.get(base_id(args.id))
    if claim is None:
        raise UsageError("ID", args.id, "the id of one claim", did_you_mean(args.id, table))
    corrected = args.id.endswith(CORRECTED)
    command = f"twofold verify {claim.id}"
    facts: list[tuple[str, str]] = [
        ("id", args.id),
        ("paper", f"{claim.paper.title}; {claim.paper.authors}; {claim.paper.version}"),
        ("where", claim.where),
        ("kind", claim.kind),
        ("fidelity", (claim.corrected(claim.printed) if corrected else claim).fidelity),
        ("corrects", claim.id if corrected else ""),
        ("statement", "" if corrected else claim.statement),
        ("reading", (f"The correction of {claim.id}: " if corrected else "") + claim.reading),
        ("quantity", claim.quantity),
        ("symbols", ", ".join(claim.symbols)),
    ]
    relation = "" if claim.relation == "when" else f"{claim.relation} "
    if corrected:
        facts.append(("printed", f"what the derivation gives where {claim.id} is refuted: {command}"))
    else:
        facts += [("printed", f"{name} {relation}{formula}") for name, formula in claim.printed.items()]
    facts += [("regime", f"{name} = {form}") for name, form in claim.regime.items()]
    facts.append(("remainder", f"o({claim.remainder})" if claim.remainder else ""))
    facts.append(("model", claim.model))
    facts.append(("positions", " <= ".join(claim.positions)))
    facts += [("assumes", text) for text in claim.assumptions]
    if not corrected:
        facts += [("depends on", name) for name in claim.depends_on]
        facts += [("rests on", name) for name in rests_on(claim, table) if name not in claim.depends_on]
        for line in claim.lines:
            remainder = f" + o({line.remainder})" if line.remainder else ""
            facts.append(("proof line", f"{line.label}: {line.quantity} = {line.printed}{remainder}"))
        facts += [("proof after", name) for name in claim.proof]
    facts.append(("false alarms", f"{claim.alpha:.3g} of the run's budget"))
    facts.append(("judge it", command))
    for label, text in facts:
        if text:
            print(f"{label:<12}  {text}")
    return 0


# ---- report, diff


def _fill_report(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("report", metavar="FILE", help="the JSON report of a run")
    parser.add_argument("--html", metavar="DIR", help="write it as pages that open from disk")
    parser.add_argument("--figures", metavar="DIR", help="figures for the pages, as `twofold figures` wrote them")
    parser.add_argument("--selftest", metavar="FILE", help="what `twofold selftest --json` wrote, for the pages")
    parser.add_argument("--before", metavar="FILE", help="an earlier report, whose differences the pages show")
    parser.add_argument("--markdown", metavar="FILE", help="write it as Markdown")
    parser.add_argument("--junit", metavar="FILE", help="write it as JUnit XML")
    parser.add_argument("--latex", metavar="FILE", help="write the erratum of a paper as LaTeX")
    parser.add_argument("--paper", metavar="PAPER", help="the paper that --latex is about")


def _report(args: argparse.Namespace) -> int:
    from proofs_check import outputs
    from proofs_check.reading import read_report, read_selftest

    report = read_report("FILE", args.report)
    files = {"--markdown": args.markdown, "--junit": args.junit, "--latex": args.latex}
    targets = {name: outputs.check_target(name, value) for name, value in files.items() if value is not None}
    outputs.check_apart(files, {"FILE": args.report, "--before": args.before, "--selftest": args.selftest})
    if args.html is not None:
        targets["--html"] = outputs.check_folder("--html", args.html)
    if not targets:
        raise UsageError("report", args.report, "something to write", "give --html, --markdown, --junit or --latex")
    papers = sorted({claim["paper"]["id"] for claim in report["claims"]})
    if args.latex is not None and args.paper not in papers:
        raise UsageError("--paper", args.paper or "", f"one of {', '.join(papers)}")
    figures = outputs.present_folder("--figures", args.figures) if args.figures is not None else None
    selftest = read_selftest("--selftest", args.selftest) if args.selftest is not None else None
    before = read_report("--before", args.before) if args.before is not None else None

    from proofs_check import site

    status = 0
    for name, path in targets.items():
        try:
            if name == "--html":
                site.write(report, path, selftest=selftest, figures=figures, before=before)
            elif name == "--junit":
                outputs.write_junit(report, path)
            else:
                text = site.markdown(report) if name == "--markdown" else site.erratum(report, args.paper)
                outputs.atomic_write(path, text)
            print(Path(args.html) / "index.html" if name == "--html" else files[name])
        except OSError as error:
            print(f"twofold: error: {name} {path}: could not be written ({error.strerror or error})", file=sys.stderr)
            status = 1
    return status


def _fill_diff(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("before", metavar="A.json", help="the report of one run")
    parser.add_argument("after", metavar="B.json", help="the report of another")


def _diff(args: argparse.Namespace) -> int:
    from proofs_check.reading import read_report
    from proofs_check.site import diff

    found = diff(read_report("A.json", args.before), read_report("B.json", args.after))
    print("\n".join(found.lines()))
    return 1 if found.verdicts else 0


# ---- eval, new-lemma


def _fill_eval(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the id of a claim")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter, e.g. --set T=64")
    parser.add_argument("--w", metavar="FILE.npy", help="W_QK, (d, d); need not be symmetric")
    parser.add_argument("--sigma", metavar="FILE.npy", help="Sigma, (d, d); the identity unless given")
    for name in ("m", "a", "b"):
        parser.add_argument(f"--{name}", metavar="FILE.npy", help=f"the vector {name}, (d,), where the claim has one")
    parser.add_argument("--effort", default="standard", metavar="|".join(EFFORTS), help="how narrow the interval is")
    parser.add_argument("--seed", default="0", metavar="N", help="seed of the simulation (0 unless given)")
    parser.add_argument("--device", default="auto", metavar="|".join(DEVICES), help="where the model is sampled")


def _eval(args: argparse.Namespace) -> int:
    claim = _one(args.id)
    effort = _choice("--effort", args.effort, EFFORTS)
    seed = _integer("--seed", args.seed, 0, MAX_SEED, "an integer from 0 to 2**63 - 1")
    settings = {}
    for text in args.set:
        name, equals, value = text.partition("=")
        if not equals or not name or name in settings:
            raise UsageError("--set", text, "NAME=VALUE, each name once", "e.g. --set T=64")
        settings[name] = value
    given = {"W": args.w, "Sigma": args.sigma, "m": args.m, "a": args.a, "b": args.b}
    device = _device(args.device)

    from proofs_check import explore, runner
    from proofs_check.terminal import show_values

    arrays = {name: path for name, path in given.items() if path is not None}
    case, symmetric = explore.case_of(claim, settings, arrays)
    options = runner.Options(effort=effort, seed=seed, device=device)
    here = runner.bench(claim, options, runner.resolve(options), runner.Silent())
    show_values(claim, explore.explore(claim, case, symmetric, here), symmetric)
    return 0


def _fill_new_lemma(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the lemma's id, e.g. mypaper.sec2.thing")
    parser.add_argument("--kind", default="identity", metavar="KIND", help="|".join(LEMMA_KINDS))


def _new_lemma(args: argparse.Namespace) -> int:
    from proofs_check.newlemma import write
    from theorems.catalogue import PAPERS

    written = write(args.id, args.kind, Path.cwd(), PAPERS)
    for path in written:
        print(f"wrote {path.relative_to(Path.cwd())}")
    paper = args.id.split(".")[0]
    print(f"Fill in what FILL IN marks, then: twofold verify {paper}")
    print("From anywhere: pip install -e . here; the entry point in pyproject.toml makes the lemmas known.")
    return 0


# ---- figures, doctor


def _fill_figures(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", metavar="NAME", help="figures, or claims by id; all figures if none")
    parser.add_argument("--out", default="report/figures", metavar="DIR", help="folder (report/figures unless given)")
    parser.add_argument("--seed", default="0", metavar="N", help="seed of the simulations (0 unless given)")
    parser.add_argument("--expect", metavar="FILE", help="a lock to compare the figures' data with")


def _figures(args: argparse.Namespace) -> int:
    _catalogue([name for name in args.names if "." in name])
    _needed("matplotlib")

    from figures.__main__ import main as make

    expected = [] if args.expect is None else [f"--expect={args.expect}"]
    for name in args.names:
        if name.startswith("-"):
            raise UsageError("NAME", name, "a figure or the id of a claim")
    return make([*args.names, f"--out={args.out}", f"--seed={args.seed}", *expected])


def _fill_bench(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sizes", default="40x128,512x64", metavar="TxD,...", help="tokens and dimensions")
    parser.add_argument("--tiers", default="literal,fused,joint", metavar="NAME,...", help="which tiers")
    parser.add_argument(
        "--seconds", default="120", metavar="S", help="seconds of all rounds together (120 unless given)"
    )
    parser.add_argument("--json", metavar="FILE", help="write what was measured as JSON")
    parser.add_argument("--picture", metavar="FILE", help="write the roofline as SVG")


def _bench(args: argparse.Namespace) -> int:
    from proofs_check import outputs
    from proofs_check.bench import report

    sizes = report.sizes_of(args.sizes)
    tiers = report.tiers_of(args.tiers)
    seconds = report.seconds_of(args.seconds)
    given = {"--json": args.json, "--picture": args.picture}
    targets = {name: outputs.check_target(name, value) for name, value in given.items() if value is not None}
    outputs.check_apart(given)
    found = report.run(sizes, seconds, tiers, lambda text: print(text, file=sys.stderr))
    report.show(found, sys.stdout)
    status = 0
    for name, path in targets.items():
        try:
            if name == "--json":
                outputs.write_json(found, path)
            else:
                from proofs_check.bench.picture import roofline

                outputs.atomic_write(path, roofline(found["rows"], found["limits"]))
        except OSError as error:
            print(f"twofold: error: {name} {path}: could not be written ({error.strerror or error})", file=sys.stderr)
            status = 1
    return status


def _fill_lock(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--report", default="report/report.json", metavar="FILE", help="report of a whole run")
    parser.add_argument("--figures", default="report/figures", metavar="DIR", help="what `twofold figures` wrote")
    parser.add_argument("--out", default="verdicts.toml", metavar="FILE", help="the lock (verdicts.toml unless given)")


def _lock(args: argparse.Namespace) -> int:
    from proofs_check import lock, outputs
    from proofs_check.reading import read_report

    report = read_report("--report", args.report)
    target = outputs.check_target("--out", args.out)
    outputs.check_apart({"--out": args.out}, {"--report": args.report})
    whole = set(_catalogue(()))
    missing = sorted(whole - {claim["id"] for claim in report["claims"]})
    if missing:
        raise UsageError("--report", args.report, f"a run of every claim; {missing[0]} is missing", "judge all")
    text = lock.written(report, lock.data_of(Path(args.figures)))
    before = target.read_text(encoding="utf-8", errors="replace") if target.exists() else ""
    try:
        outputs.atomic_write(target, text)
    except OSError as error:
        print(f"twofold: error: --out {target}: could not be written ({error.strerror or error})", file=sys.stderr)
        return 1
    changes = lock.news(before, text) if before else []
    print("\n".join([f"wrote {args.out}", *(changes or ([] if not before else ["nothing changed"]))]))
    return 0


def _fill_selftest(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--mutants", action="store_true", help="put faults into the suite's own code too")
    parser.add_argument("--independence", action="store_true", help="put faults into one side of every claim too")
    parser.add_argument("--runs", metavar="N", help="runs of each estimator on true claims (400 unless given)")
    parser.add_argument("--seed", default="0", metavar="N", help="seed of the selftest (0 unless given)")
    parser.add_argument("--json", metavar="FILE", help="write what was measured as JSON")
    parser.add_argument(
        "--jobs", metavar="N", help="threads (all there are unless given); the result does not depend on it"
    )


def _selftest(args: argparse.Namespace) -> int:
    from proofs_check import outputs

    seed = _integer("--seed", args.seed, 0, MAX_SEED, "an integer from 0 to 2**63 - 1")
    runs = None
    if args.runs is not None:
        runs = _integer("--runs", args.runs, 1, MAX_RUNS, f"an integer from 1 to {MAX_RUNS}")
    jobs = len(os.sched_getaffinity(0))
    if args.jobs is not None:
        jobs = _integer("--jobs", args.jobs, 1, MAX_JOBS, f"an integer from 1 to {MAX_JOBS}")
    target = outputs.check_target("--json", args.json) if args.json is not None else None

    from proofs_check.selftest import report as selftest

    with selftest.progress() as step:
        report = selftest.run(
            seed=seed, runs=runs, jobs=jobs, mutants=args.mutants, independence=args.independence, step=step
        )
    selftest.show(report, sys.stdout)
    if target is not None:
        try:
            outputs.write_json(report, target)
        except OSError as error:
            print(f"twofold: error: --json {target}: could not be written ({error.strerror or error})", file=sys.stderr)
            return 1
    return 0 if report["consistent"] else 1


def _fill_completion(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", metavar="bash|zsh|fish", help="the shell that the script is for")


def _completion(args: argparse.Namespace) -> int:
    from proofs_check.completion import SHELLS, script

    _choice("shell", args.shell, SHELLS)
    print(script(args.shell, {name: (command.help, command.fill) for name, command in COMMANDS.items()}))
    return 0


def _fill_doctor(parser: argparse.ArgumentParser) -> None:
    pass


def _doctor(args: argparse.Namespace) -> int:
    from proofs_check.doctor import doctor

    return doctor()


COMMANDS = {
    "verify": _Command("judge claims and report", _fill_verify, _verify),
    "report": _Command("write a run's report as pages, Markdown, JUnit or LaTeX", _fill_report, _report),
    "diff": _Command("say what changed from one run's report to another's", _fill_diff, _diff),
    "list": _Command("list the claims", _fill_list, _list),
    "show": _Command("show one claim as data", _fill_show, _show),
    "eval": _Command("print, derivation and simulation at your own parameters and matrices", _fill_eval, _eval),
    "new-lemma": _Command("write the skeleton of a lemma of your own", _fill_new_lemma, _new_lemma),
    "figures": _Command("draw the theory plots, or one claim's evidence", _fill_figures, _figures),
    "bench": _Command("time the sampling against other ways and against its limits", _fill_bench, _bench),
    "selftest": _Command("measure how often the referee itself errs", _fill_selftest, _selftest),
    "lock": _Command("write what was found into verdicts.toml, to hold later runs to", _fill_lock, _lock),
    "completion": _Command("print a shell's completion script", _fill_completion, _completion),
    "doctor": _Command("say what this installation has and misses", _fill_doctor, _doctor),
}


def _help() -> str:
    lines = [f"  {name:<10}  {command.help}" for name, command in COMMANDS.items()]
    return "\n".join(
        (
            "usage: twofold COMMAND ...",
            "",
            "A referee for theory papers: every claim is derived, simulated and judged.",
            "",
            *lines,
            "",
            "`twofold COMMAND --help` tells a command's arguments, `twofold --version` the version.",
            "Exit status: 0 every claim got its verdict; 1 a conflict, an error or a difference from --expect;",
            "2 a usage error; 130 interrupted.",
        )
    )


def _parsed(parser: argparse.ArgumentParser, rest: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """The arguments, options and names in any order; what follows `--` is names, which argparse forgets then."""
    if "--" not in rest:
        return parser.parse_known_intermixed_args(rest)
    place = rest.index("--")
    several = next((action.dest for action in parser._actions if action.nargs == "*"), None)
    if several is None:
        return parser.parse_known_args(rest)
    args, unknown = parser.parse_known_intermixed_args(rest[:place])
    setattr(args, several, [*getattr(args, several), *rest[place + 1 :]])
    return args, unknown


def _parse(argv: Sequence[str]) -> argparse.Namespace:
    name, rest = argv[0], list(argv[1:])
    command = COMMANDS[name]
    parser = _Parser(prog=f"twofold {name}", description=command.help.capitalize() + ".", allow_abbrev=False)
    command.fill(parser)
    args, unknown = _parsed(parser, rest)
    if unknown:
        options = [option for action in parser._actions for option in action.option_strings]
        near = nearest(unknown[0], options, 1)
        mend = f"nearest: {near[0]}" if near else f"`twofold {name} --help` lists them"
        raise UsageError("argument", unknown[0], f"an argument of `twofold {name}`", mend)
    for action in parser._actions:
        value = getattr(args, action.dest, None)
        # argparse makes no value of `--option=--` but an empty list
        if action.option_strings and (value == [] != action.default or (isinstance(value, list) and [] in value)):
            raise UsageError(action.option_strings[-1], "--", "a value")
    args.command_line = ["twofold", *argv]
    return args


def _run(argv: Sequence[str]) -> int:
    if not argv:
        raise UsageError("command", "", f"one of {', '.join(COMMANDS)}", "see `twofold --help`")
    if argv[0] in ("-h", "--help"):
        print(_help())
        return 0
    if argv[0] == "--version":
        print(f"twofold {__version__}")
        return 0
    _choice("command", argv[0], tuple(COMMANDS))
    args = _parse(argv)
    return COMMANDS[argv[0]].run(args)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    # A closed stream (`>&-`) is None; what would go there is dropped.
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        status = _run(sys.argv[1:] if argv is None else argv)
        sys.stdout.flush()
        return status
    except (UsageError, _ArgparseError) as error:
        _complain(f"error: {error}")
        return 2
    except KeyboardInterrupt:
        _complain("interrupted")
        return 130
    except ImportError as error:
        missing = NEEDED.get((error.name or "").split(".")[0])
        if missing is None:
            raise
        _complain(f"error: {missing}: expected it to be installed; `twofold doctor` says what is missing")
        return 2
    except BrokenPipeError:
        # The reader is gone (`| head`).
        _silence()
        return 141
    except OSError as error:
        if error.errno not in _UNWRITTEN or error.filename is not None:
            raise
        _complain(f"error: stdout: could not be written ({error.strerror})")
        _silence()
        return 1


def _complain(message: str) -> None:
    """Tell what is wrong on stderr, where there is still somebody to read it."""
    with suppress(OSError):
        print(f"twofold: {message}", file=sys.stderr, flush=True)


def _silence() -> None:
    """Drop what a stream could not take, lest the interpreter complain a second time as it ends."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
