"""The empirical check of a matrix identity: an independent gradient, entry by entry, at the exact matrices of cases.

The print is evaluated here, in rationals, from the statement's data; the empirical check is handed the matrices alone.
"""

from __future__ import annotations

import ast
import copy
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.cases import drawn as drawing
from proofs_check.checks.evidence import Evidence, RunContext, Seen
from proofs_check.checks.intervals import Interval
from proofs_check.claims.cases import shown_case
from proofs_check.claims.mutants import mutants
from proofs_check.claims.pairing import Pair, Target
from theorems.algebra.expressions import parse
from theorems.algebra.matrix_calculus import Matrix
from theorems.kernel.matrix_facts import PREFIX, Instance, MatrixFact
from theorems.kernel.outcome import Outcome

#: An evaluation that is not sharper than this, relative to max(1, largest |entry|), shows too little.
LOOSE = 1e-6
#: Fewest and most cases.
CASES = (40, 200)
#: The number of a case from which its matrices are drawn: no number of the claim.
SEED = "seed"
#: What is added to the seeds of a correction's cases.
APART = 1000
#: Rows that the report shows.
ROWS = 12


def compared(
    pair: Pair, fact: MatrixFact, outcome: Outcome, evaluation: Any, context: RunContext, only: Mapping[str, Any] | None
) -> Evidence:
    """Compare an evaluated matrix with the derived one and with the print, entry by entry, at drawn cases."""
    from montecarlo.directly import evaluate

    fewest, most = CASES
    points: list[Mapping[str, Any]] = [only] if only is not None else []
    if only is None:
        wanted = min(most, max(fewest, context.effort.points // 20))
        points = list(drawing.drawn(pair.statement, {}, drawing.stream(pair.statement, context.seed), wanted))
        if pair.statement.corrects:
            # a correction is looked at at matrices of its own
            points = [{**raw, SEED: str(int(raw[SEED]) + APART)} for raw in points]
    evidence = Evidence(tier="independent evaluation", cases=len(points), samples=len(points))
    gap = fact.printed(pair.statement.printed) - fact.value
    seen: list[tuple[Instance, float]] = []
    notes: Counter[str] = Counter()
    wrong: list[tuple[Mapping[str, Any], str, Fraction, Fraction]] = []
    worst = largest = 0.0
    count = 0
    for place, raw in enumerate(points):
        if place % 10 == 0:
            context.step(place, len(points))
        here = fact.instance(raw)
        notes.update(here.notes)
        derived = here.evaluate(fact.value)
        printed = derived + here.evaluate(gap)
        entries = evaluate(evaluation, {**raw, "matrices": handed(here, fact)})
        found = _array(entries, derived.shape, pair.source)
        evidence.seen.append(Seen(raw, given_at(here, fact), entries))
        slack_here = 0.0
        size = max(1.0, float(abs(derived).max()))
        for (r, c), true in np.ndenumerate(derived):
            value, error = found[r][c]
            slack = error + 4 * math.ulp(abs(float(true)))
            slack_here = max(slack_here, slack)
            worst, largest = max(worst, 2 * slack / size), max(largest, abs(value - float(true)) / size)
            count += 1
            name = f"entry [{r + 1},{c + 1}]"
            if abs(value - float(true)) > slack:
                evidence.conflicts.append(f"{name} at {drawing.key(raw)}: derived {true}, evaluated {value!r}")
            if abs(Fraction(value) - printed[r, c]) > Fraction(slack):
                wrong.append((raw, name, printed[r, c], true))
            if len(evidence.rows) < ROWS:
                ends = (value - error, value + error)
                evidence.rows.append(shown_case(raw, name, printed[r, c], true, ends, estimate=value))
        seen.append((here, slack_here))
    evidence.status = "contradicts" if wrong else "agrees" if worst <= LOOSE else "underpowered"
    evidence.detectable = worst
    evidence.power = f"a difference of {worst:.1e} of max(1, largest |entry|) is seen at every entry"
    evidence.trend.append(
        f"{count} entries at {len(points)} cases: the evaluated matrix differs from the derived one by at most "
        f"{largest:.1e} of max(1, largest |entry|), within its bound of rounding"
    )
    if notes:
        evidence.trend.append(
            "met in the cases: " + ", ".join(f"{what} {n} times" for what, n in sorted(notes.items()))
        )
    missed = sorted(what for what, n in notes.items() if not n)
    if missed and only is None and not wrong:
        evidence.status, evidence.reason = "underpowered", f"no case has a {missed[0]}"
    # where the two sides disagree, nothing is said of wrong versions
    for label, other in decoys(fact, pair.statement.printed) if not evidence.conflicts else ():
        evidence.decoys += 1
        found_out = any(abs(here.evaluate(other)).max() > 2 * Fraction(slack) for here, slack in seen)
        evidence.caught += found_out
        if not found_out:
            evidence.survivors.append(label)
    if wrong and outcome.status == "disproved":
        raw, name, claimed, true = min(wrong, key=lambda row: _size(row[0]))
        evidence.counterexample = {
            "params": dict(raw),
            "given": _told(fact.instance(raw), fact),
            "quantity": name,
            "printed": str(claimed),
            "true": str(true),
        }
        evidence.confirmed = True
        evidence.trend.append(f"counterexample: {name} at {_shown(fact, raw)}: printed {claimed}, true {true}")
    return evidence


def entry_rows(
    pair: Pair, fact: MatrixFact, evaluation: Any, raw: Mapping[str, Any]
) -> list[tuple[str, Target, Interval | None, int, str]]:
    """Every entry of the matrix at one case: what is printed, derived and evaluated, as ``explore`` shows it."""
    from montecarlo.directly import evaluate

    here = fact.instance(raw)
    derived, printed = here.evaluate(fact.value), here.evaluate(fact.printed(pair.statement.printed))
    found = _array(evaluate(evaluation, {**raw, "matrices": handed(here, fact)}), derived.shape, pair.source)
    rows: list[tuple[str, Target, Interval | None, int, str]] = []
    for (r, c), exact in np.ndenumerate(derived):
        value, error = found[r][c]
        true, claimed = sp.Rational(exact), sp.Rational(printed[r, c])
        target = Target(f"entry [{r + 1},{c + 1}]", true, claimed, true, claimed)
        rows.append((target.name, target, Interval(value - error, value + error, value, 0.0, error), 1, "evaluated"))
    return rows


def handed(here: Instance, fact: MatrixFact) -> Any:
    """The matrices of an instance in float64, by name; ValueError for one that float64 does not hold exactly."""

    def matrices(name: str) -> list[list[float]]:
        if name not in fact.given:
            raise KeyError(f"{name}: the evaluation may read {', '.join(fact.given)}")
        rows = here.arrays[name].tolist()
        floats = [[float(entry) for entry in row] for row in rows]
        if any(Fraction(x) != y for xs, ys in zip(floats, rows, strict=True) for x, y in zip(xs, ys, strict=True)):
            raise ValueError(f"{name} = {rows} is not exact in float64; draw multiples of a power of 1/2")
        return floats

    return matrices


def given_at(here: Instance, fact: MatrixFact) -> Mapping[str, Any]:
    """The matrices, vectors and numbers of a case by the statement's names; a matrix of one column is a vector."""
    table: dict[str, Any] = dict(here.numbers)
    for letter in fact.alphabet.letters:
        if letter.name in fact.given:
            rows = here.arrays[letter.name].tolist()
            table[letter.name] = [row[0] for row in rows] if letter.columns == "1" else rows
    return table


def _told(here: Instance, fact: MatrixFact) -> dict[str, Any]:
    """What the empirical check was handed, exactly, as a report has it."""
    found = given_at(here, fact)
    return {name: _texts(found[name]) for name in fact.given if name in found}


def _texts(value: Any) -> Any:
    return [_texts(part) for part in value] if isinstance(value, list) else str(value)


def _array(found: Mapping[str, tuple[float, float]], shape: tuple[int, ...], source: str) -> list[list[Any]]:
    """The entries [row,column], from 1, of an evaluation; ValueError where one is missing, too many or not finite."""
    names = {f"[{r + 1},{c + 1}]" for r in range(shape[0]) for c in range(shape[1])}
    if set(found) != names:
        odd = min(set(found) ^ names)
        raise ValueError(
            f"{source}: the evaluation and the derivation, a {shape[0]} x {shape[1]} matrix, differ in {odd}"
        )
    for name, pair in found.items():
        if not all(math.isfinite(part) for part in pair):
            raise ValueError(f"{source}: the evaluation gives {name} = {pair}; expected finite numbers")
    return [[found[f"[{r + 1},{c + 1}]"] for c in range(shape[1])] for r in range(shape[0])]


def _size(raw: Mapping[str, Any]) -> tuple[Fraction, str]:
    return sum((Fraction(value) for name, value in raw.items() if name != SEED), Fraction(0)), drawing.key(raw)


def _shown(fact: MatrixFact, raw: Mapping[str, Any]) -> str:
    """The matrices of a case, written out."""
    here = fact.instance(raw)
    told = [
        f"{name} = [{', '.join('[' + ', '.join(map(str, row)) + ']' for row in here.arrays[name].tolist())}]"
        for name in fact.given
    ]
    return ", ".join(told)


def decoys(fact: MatrixFact, printed: Mapping[str, str]) -> list[tuple[str, Matrix]]:
    """Wrong versions of a printed sum of words, with what was changed: each as what it adds to the derived matrix.

    One coefficient, sign, exponent, transposition, index, order of factors, factor or term is changed. Versions that
    are equal to the derived matrix, or to one another, are left out.
    """
    whole = fact.printed(printed) - fact.value
    found: dict[str, tuple[str, Matrix]] = {}
    for name, text in printed.items():
        own = fact.term(name, text)
        changed = [(f"{name}: left out", own * 0)]
        changed += [(f"{name}: {label}", fact.term(name, form)) for label, form in mutants(parse(text), ())]
        for word in words(name.removeprefix(PREFIX)):
            try:
                changed.append((f"{name} -> {word}", fact.term(PREFIX + word, text)))
            except ValueError:
                # the sizes do not fit, or an index is left without a sum
                continue
        for label, other in changed:
            off = whole + other - own
            if not off.is_zero and other != own:
                found.setdefault(str(off), (label, off))
    return list(found.values())


def words(text: str) -> Iterator[str]:
    """The texts that differ from a printed word by one transposition, index, sign, order or factor, sizes unchecked."""
    tree = ast.parse(f"_({text})", mode="eval").body
    for place, node in enumerate(ast.walk(tree)):
        for change in _changes(node, tree):
            other = copy.deepcopy(tree)
            target = list(ast.walk(other))[place]
            new = change(target)
            if new is not None:
                other = _replaced(other, target, new)
            yield ast.unparse(other)[2:-1]


def _replaced(tree: Any, target: ast.AST, new: ast.AST) -> Any:
    class Swap(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> Any:
            return new if node is target else self.generic_visit(node)

    return Swap().visit(tree)


def _changes(node: ast.AST, tree: ast.AST) -> Iterator[Any]:
    """Functions that change a node of this kind, in place or by giving another one."""
    if isinstance(node, ast.Attribute):
        yield lambda n: n.value
    if isinstance(node, ast.Name | ast.Subscript):
        yield lambda n: ast.Attribute(value=copy.deepcopy(n), attr="T", ctx=ast.Load())
    if isinstance(node, ast.Subscript):
        indices = [s.slice for s in ast.walk(tree) if isinstance(s, ast.Subscript)]
        names = sorted({n.id for index in indices for n in ast.walk(index) if isinstance(n, ast.Name)})
        places = len(node.slice.elts) if isinstance(node.slice, ast.Tuple) else 1
        for at in range(places):
            for name in names:
                yield _index(at, name)
        if places == 2:
            yield _exchanged
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        yield lambda n: n.left
        yield lambda n: n.right
        yield _turned
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        yield _opposite


def _index(at: int, name: str) -> Any:
    def change(node: Any) -> None:
        places: list[Any] = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        places[at].id = name

    return change


def _exchanged(node: Any) -> None:
    node.slice.elts.reverse()


def _turned(node: Any) -> Any:
    """a*b as b*a, and (a*b)*c as a*c*b."""
    if isinstance(node.left, ast.BinOp) and isinstance(node.left.op, ast.Mult):
        node.left.right, node.right = node.right, node.left.right
        return None
    node.left, node.right = node.right, node.left
    return None


def _opposite(node: Any) -> None:
    node.op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
