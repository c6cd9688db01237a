"""``twofold list``, ``show``, ``eval`` and ``new-lemma``: one claim at a time, and lemmas of one's own."""

from __future__ import annotations

import argparse
import shutil
import sys

from proofs_check.commands import checks
from proofs_check.commands.checks import (
    DEVICES,
    EFFORTS,
    MAX_SEED,
    choice,
    integer,
    one,
    selected,
    usable_device,
)
from proofs_check.inputs.errors import UsageError, did_you_mean

LEMMA_KINDS = ("moment", "limit", "order", "inequality", "existence", "optimum", "construction")


def fill_list(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``twofold list``."""
    parser.add_argument("ids", nargs="*", metavar="ID|GLOB", help="claims by id, glob or prefix; all if none")


def run_list(args: argparse.Namespace) -> int:
    """Print the claims; returns the exit status."""
    rows = [(claim.id, claim.kind, claim.where, claim.fidelity) for claim in selected(args.ids)]
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


def fill_show(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``twofold show``."""
    parser.add_argument("id", metavar="ID", help="the id of a claim, or <id>.corrected")


def run_show(args: argparse.Namespace) -> int:
    """Print one claim as data; returns the exit status."""
    from proofs_check.report.telling import graded
    from theorems.claims.catalogue import CORRECTED, base_id, rests_on

    table = checks.catalogue([args.id])
    claim = table.get(base_id(args.id))
    if claim is None:
        raise UsageError("ID", args.id, "the id of one claim", did_you_mean(args.id, table))
    corrected = args.id.endswith(CORRECTED)
    command = f"twofold verify {claim.id}"
    shown = claim.corrected(claim.printed) if corrected else claim
    facts: list[tuple[str, str]] = [
        ("id", args.id),
        ("paper", f"{claim.paper.title}; {claim.paper.authors}; {claim.paper.version}"),
        ("where", claim.where),
        ("kind", claim.kind),
        ("fidelity", graded(shown.fidelity, shown.judged)),
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
            told = line.says or (f"as {line.claim}" if line.claim else f"{line.quantity} = {line.printed}{remainder}")
            facts.append(("proof line", f"{line.label}: {told}"))
        facts += [("proof after", name) for name in claim.proof]
    facts.append(("false alarms", f"{claim.alpha:.3g} of the run's budget"))
    facts.append(("judge it", command))
    for label, text in facts:
        if text:
            print(f"{label:<12}  {text}")
    return 0


def fill_eval(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``twofold eval``."""
    parser.add_argument("id", metavar="ID", help="the id of a claim")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter, e.g. --set T=64")
    parser.add_argument("--w", metavar="FILE.npy", help="W_QK, (d, d); need not be symmetric")
    parser.add_argument("--sigma", metavar="FILE.npy", help="Sigma, (d, d); the identity unless given")
    for name in ("m", "a", "b"):
        parser.add_argument(f"--{name}", metavar="FILE.npy", help=f"the vector {name}, (d,), where the claim has one")
    told = "a fixed vector of the statement, (d,), e.g. --vector u=u.npy"
    parser.add_argument("--vector", action="append", default=[], metavar="NAME=FILE.npy", help=told)
    parser.add_argument("--effort", default="standard", metavar="|".join(EFFORTS), help="how narrow the interval is")
    parser.add_argument("--seed", default="0", metavar="N", help="seed of the simulation (0 unless given)")
    parser.add_argument("--device", default="auto", metavar="|".join(DEVICES), help="where the model is sampled")


def run_eval(args: argparse.Namespace) -> int:
    """Print a claim at your own parameters; returns the exit status."""
    claim = one(args.id)
    effort = choice("--effort", args.effort, EFFORTS)
    seed = integer("--seed", args.seed, 0, MAX_SEED, "an integer from 0 to 2**63 - 1")
    settings = _named("--set", args.set, "NAME=VALUE", "T=64")
    vectors = _named("--vector", args.vector, "NAME=FILE.npy", "u=u.npy")
    given = {"W": args.w, "Sigma": args.sigma, "m": args.m, "a": args.a, "b": args.b}
    device = usable_device(args.device)

    from proofs_check.commands import evaluate as explore
    from proofs_check.judging.derived import context
    from proofs_check.judging.options import Options, Silent, resolve
    from proofs_check.report.terminal import show_values

    arrays = {name: path for name, path in given.items() if path is not None}
    case, symmetric = explore.case_of(claim, settings, arrays, vectors)
    if claim.model == "free":
        checks.check_conditions("--set", ", ".join(args.set), claim, case)
    if (seconds := explore.expected_seconds(case)) >= explore.LONG:
        print(f"The matrices are large: this takes about {seconds:.0f} s.", file=sys.stderr, flush=True)
    options = Options(effort=effort, seed=seed, device=device)
    here = context(claim, options, resolve(options), Silent())
    show_values(claim, explore.explored(claim, case, symmetric, here), symmetric)
    return 0


def _named(argument: str, texts: list[str], form: str, example: str) -> dict[str, str]:
    """NAME -> VALUE of an argument that may be given several times."""
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name or name in found:
            raise UsageError(argument, text, f"{form}, each name once", f"e.g. {argument} {example}")
        found[name] = value
    return found


def fill_new_lemma(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``twofold new-lemma``."""
    parser.add_argument("id", metavar="ID", help="the lemma's id, e.g. mypaper.sec2.thing")
    parser.add_argument("--kind", default="moment", metavar="KIND", help="|".join(LEMMA_KINDS))


def run_new_lemma(args: argparse.Namespace) -> int:
    """Write the skeleton of a lemma; returns the exit status."""
    from proofs_check.commands.new_lemma import entry_point, files, write
    from theorems.claims.catalogue import PAPERS

    written = write(args.id, files(args.id, args.kind, PAPERS), checks.here())
    for path in written:
        print(f"wrote {path.relative_to(checks.here())}")
    paper = args.id.split(".")[0]
    print(f"Fill in what FILL IN marks, then: twofold verify {paper}")
    print(f"From anywhere: {entry_point(paper, checks.here())}")
    return 0
