"""Inequalities and equations between numbers: the counterexample's numbers put into both sides, step by step."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import flint
import sympy as sp

from proofs_check.report.byhand.substituting import chain, close, exact, formula, put_in, reported, told
from theorems.algebra import norms
from theorems.algebra.balls import precision
from theorems.algebra.expressions import parse
from theorems.statement.reading.language import Vocabulary, parsed
from theorems.statement.values.cases import Case, Rows
from theorems.statement.values.values import value

#: What is worked out as a whole: the number of a matrix, or of sequences.
WHOLE = ("tr", "norm", "sum")
#: What a print is that bounds the quantity.
BOUNDS = {"upper": "The print bounds it from above by", "lower": "The print bounds it from below by"}
#: Longest formula that is shown before numbers are put in, and with numbers in it.
SHORT, LONG = 60, 100
#: Largest denominator of a number that is known by its value.
PARTS = 64
#: Terms of a series of which the first are shown, and all are looked at for their signs and sizes.
TERMS = 12
#: The step of a difference quotient.
STEP = Fraction(1, 1000)
_NAMES = {"abs": "Abs", "max": "Max", "min": "Min", "indicator": "Indicator"}


def lines(claim: Mapping[str, Any]) -> list[str]:
    """The check of the first quantity whose values are those of the counterexample."""
    case = case_of(claim)
    for name, printed in claim["printed"].items():
        text = claim["said"]["quantities"].get(name, "")
        body = _differentiated(_expanded(text, claim["said"]["where"]))
        way = (
            _series
            if printed.endswith(", oo)")
            else _slope
            if body.startswith("diff(") or "(diff(" in body
            else _entropy
            if text.startswith("entropy(")
            else _plain
        )
        if found := way(claim, case, body, printed):
            return [*found[:-1], found[-1].replace("The print gives", BOUNDS.get(name, "The print gives"))]
    return []


def case_of(claim: Mapping[str, Any]) -> Case:
    """The counterexample, with the sequences of a limit at its index, and what tends to 0 at 0."""
    numbers: dict[str, Fraction] = {}
    matrices, sequences = {}, {}
    for name, given in claim["counterexample"]["params"].items():
        if isinstance(given, list) and all(isinstance(row, list) for row in given):
            matrices[name] = tuple(tuple(Fraction(entry) for entry in row) for row in given)
        elif isinstance(given, list):
            sequences[name] = tuple(Fraction(entry) for entry in given)
            numbers["n"] = Fraction(len(given))
        elif name not in ("start", "law"):
            numbers[name] = Fraction(given)
    for name, text in claim["said"]["along"].items():
        if name not in numbers:
            numbers[name] = Fraction(str(exact(text, numbers)))
    for name in re.findall(r"(\w+) -> 0\b", claim["said"]["limit"]):
        numbers.setdefault(name, Fraction(0))
    return Case(numbers=numbers, matrices=matrices, sequences=sequences)


def _expanded(text: str, where: str) -> str:
    """The formula with the definitions that it uses put in."""
    table: dict[str, str] = {}
    for name, body in _definitions(where).items():
        table[name] = put_in(body, table)
    return put_in(text, table)


def _definitions(where: str) -> dict[str, str]:
    """The names that are defined by formulas of numbers, in their order."""
    parts = (part.partition(" = ") for part in re.split(r"[,;]\s*(?=\w+ = )", where.strip()))
    return {name: body for name, _, body in parts if name.isidentifier() and body}


def worked(text: str, case: Case, others: Callable[[str], str | None]) -> tuple[str, sp.Expr]:
    """The formula with numbers for its names and for what is worked out as a whole; and its value."""
    table: dict[str, str] = {}

    def known(written: str) -> ast.AST:
        table[label := f"number_{len(table)}"] = written
        return ast.Name(label)

    class Worked(ast.NodeTransformer):
        def visit_Call(self, node: ast.Call) -> ast.AST:
            if isinstance(node.func, ast.Name) and node.func.id in WHOLE:
                words = Vocabulary(sequences={name: str(len(entries)) for name, entries in case.sequences.items()})
                return known(_number(lambda: value(parsed(ast.unparse(node), words), case)))
            name = node.func.id if isinstance(node.func, ast.Name) else ""
            return ast.Call(ast.Name(_NAMES.get(name, name)), [self.visit(part) for part in node.args], [])

        def visit_Name(self, node: ast.Name) -> ast.AST:
            found = str(case.numbers[node.id]) if node.id in case.numbers else others(node.id)
            return node if found is None else known(found)

    worked = ast.unparse(Worked().visit(ast.parse(text, mode="eval")))
    values = {sp.Symbol(label): parse(written) for label, written in table.items()}
    return put_in(worked, table), sp.sympify(parse(worked).xreplace(values))


def _number(of: Callable[[], Any]) -> str:
    """A value that is rational, or the root of such a number."""
    with precision(256):
        found = of()
        if isinstance(found, Fraction):
            return str(found)
        for below, power in itertools.product(range(1, PARTS + 1), (1, 2)):
            whole = (flint.arb(found) ** power * below).unique_fmpz()
            if whole is not None:
                return str(sp.Rational(int(whole), below) ** sp.Rational(1, power))
    raise ValueError("neither a rational nor the root of one")


def _named(claim: Mapping[str, Any], case: Case) -> Callable[[str], str | None]:
    """The values of a print's names: norms and traces of the case's matrices, and other quantities of the claim."""

    def found(name: str) -> str | None:
        if norms.functional(name) is not None:
            closed = norms.closed_form(name, {key: [list(row) for row in rows] for key, rows in case.matrices.items()})
            return None if closed is None else str(closed)
        if name == "d" and case.matrices:
            return str(len(next(iter(case.matrices.values()))))
        text = claim["said"]["quantities"].get(name)
        return None if text is None else str(worked(text, case, lambda _: None)[1])

    return found


def _sides(claim: Mapping[str, Any], true: sp.Expr, claimed: sp.Expr) -> bool:
    example = claim["counterexample"]
    return close(true, reported(example["true"])) and close(claimed, reported(example["printed"]))


def _place(case: Case, *left_out: str) -> str:
    hidden = {"n", *("d" for _ in case.matrices), *left_out}
    named = [f"{name} = {number}" for name, number in case.numbers.items() if name not in hidden]
    named += [formula(f"{name} = {_matrix(rows)}") for name, rows in case.matrices.items()]
    named += [formula(f"{name} = {_listed(entries)}") for name, entries in case.sequences.items()]
    return ", ".join(named)


def _matrix(rows: Rows) -> str:
    """A matrix: the identity and diagonal ones by their names."""
    entries = [row[k] for k, row in enumerate(rows)]
    if any(entry for r, row in enumerate(rows) for c, entry in enumerate(row) if r != c):
        return _listed(rows)
    return "I" if set(entries) == {1} and len(rows) > 1 else f"diag({', '.join(map(str, entries))})"


def _listed(value: Any) -> str:
    return f"[{', '.join(map(_listed, value))}]" if isinstance(value, tuple) else str(value)


def _plain(claim: Mapping[str, Any], case: Case, text: str, printed: str) -> list[str]:
    left, true = worked(text, case, lambda _: None)
    right, claimed = worked(printed, case, _named(claim, case))
    if not _sides(claim, true, claimed):
        return []
    path, helpers, goes = _path(claim, case, text, printed)
    place = _place(case, *helpers)
    parts: list[str] = []
    if len(left) > LONG:
        text, left, parts = _in_parts(claim["said"]["where"], case, text, left)
    return [
        *([f"Take {place}{path}."] if place else []),
        *([f"Then {' and '.join(parts)}."] if parts else []),
        f"The quantity is {_followed(text, left, told(true))}{goes}.",
        f"The print gives {_followed(printed, right, told(claimed))}.",
    ]


def _in_parts(where: str, case: Case, text: str, left: str) -> tuple[str, str, list[str]]:
    """A long formula by the definitions that it is put together from: it, it with numbers, and their values."""
    table = _definitions(where)
    body = next((body for name, body in table.items() if _expanded(name, where) == text), "")
    used = [name for name in table if re.search(rf"\b{name}\b", body)]
    if not used:
        return text, left, []
    values = {name: str(worked(_expanded(name, where), case, lambda _: None)[1]) for name in used}
    shown = [chain(name, table[name], values[name]) for name in used]
    return body, worked(body, case, values.get)[0], shown


def _path(claim: Mapping[str, Any], case: Case, text: str, printed: str) -> tuple[str, list[str], str]:
    """The sequences of a limit at this case, their own parameters, and what the quantity tends to along them."""
    along = claim["said"]["along"]
    index = set(re.findall(r"\*\*(\w+)", " ".join(along.values()))) & {*case.numbers}
    if len(index) != 1:
        return "", [], ""
    (k,) = index
    used = {*re.findall(r"\w+", f"{text} {printed}")}
    # what stands in neither formula is of the sequences, or only chooses what is sampled
    of = {*case.numbers} - used
    fixed = {sp.Symbol(name): sp.Rational(number) for name, number in case.numbers.items() if name != k}
    paths = {name: sp.simplify(parse(body).xreplace(fixed)) for name, body in along.items()}
    rest = {name: number for name, number in case.numbers.items() if name not in paths}
    grown = parse(put_in(text, {name: str(value) for name, value in {**rest, **paths}.items() if name != k}))
    limit = sp.limit(grown, sp.Symbol(k), sp.oo)
    if not close(limit, reported(claim["counterexample"]["true"])):
        raise ValueError("another limit")
    shown = " and ".join(formula(f"{name} = {value}") for name, value in paths.items())
    return (
        f", of the sequences {shown} at {k} = {case.numbers[k]}",
        sorted(of),
        f", and tends to {told(limit)} as {k} grows",
    )


def _followed(text: str, worked: str, value: str) -> str:
    """A formula, the same with numbers in it, and its value; what is long is left out."""
    return chain(*([text] if len(text) <= SHORT else []), *([worked] if len(worked) <= LONG else []), value)


def _entropy(claim: Mapping[str, Any], case: Case, text: str, printed: str) -> list[str]:
    """A lower bound above the largest entropy that there is."""
    count = case.numbers["T"]
    most = sp.log(sp.Rational(count))
    right, claimed = worked(printed, case, lambda _: None)
    if not claimed.evalf() > most.evalf():
        return []
    out = [
        f"No entropy of T weights exceeds log(T), here {formula(f'log({count})')} (about {float(most):.6g}).",
        f"At {_place(case)} the print gives {formula(right)}, about {float(claimed):.6g}, which is more.",
    ]
    rest = {sp.Symbol(name): sp.Rational(number) for name, number in case.numbers.items() if name != "T"}
    grows = sp.Symbol("T", positive=True)
    gap = sp.limit(parse(printed).xreplace({**rest, sp.Symbol("T"): grows}) - sp.log(grows), grows, sp.oo)
    if gap.is_number and gap.is_positive:
        out.append(f"As T grows, the print less log(T) tends to {chain(told(gap))}: no o(1) makes up for it.")
    return out


class _Derivatives(ast.NodeTransformer):
    """Derivatives of derivatives, and those at a place, worked out: diff(f, t, 0)."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        inner = [self.visit(argument) for argument in node.args]
        if not (isinstance(node.func, ast.Name) and node.func.id == "diff"):
            return ast.Call(node.func, inner, [])
        found = sp.diff(parse(ast.unparse(inner[0])), sp.Symbol(ast.unparse(inner[1])))
        for place in inner[2:]:
            found = found.subs(sp.Symbol(ast.unparse(inner[1])), parse(ast.unparse(place)))
        return ast.parse(str(sp.factor(found)), mode="eval").body


def _differentiated(text: str) -> str:
    """The formula without its derivatives, where one is taken at a place."""
    tree = ast.parse(text.strip(), mode="eval")
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node.func) == "diff"]
    return ast.unparse(_Derivatives().visit(tree)) if any(len(call.args) == 3 for call in calls) else text


def _series(claim: Mapping[str, Any], case: Case, text: str, printed: str) -> list[str]:
    """A printed series of alternating signs, between two of its partial sums."""
    left, true = worked(text, case, lambda _: None)
    call = ast.parse(printed, mode="eval").body
    if not isinstance(call, ast.Call) or len(call.args) != 4:
        return []
    body, index, first, _ = map(ast.unparse, call.args)
    term = parse(body).xreplace({sp.Symbol(name): sp.Rational(number) for name, number in case.numbers.items()})
    terms = [term.subs(sp.Symbol(index), int(first) + k) for k in range(TERMS)]
    ends = sorted(sum(terms[:k]) for k in (1, 2))
    claimed = reported(claim["counterexample"]["printed"])
    falls = all(a * b < 0 and abs(b) < abs(a) for a, b in itertools.pairwise(terms))
    true_there = close(true, reported(claim["counterexample"]["true"]))
    if not true_there or not falls or not ends[0] <= claimed <= ends[1] or ends[0] <= true <= ends[1]:
        return []
    return [
        f"Take {_place(case)}.",
        f"The quantity is {_followed(text, left, told(true))}.",
        f"The printed terms are {', '.join(formula(str(term)) for term in terms[:3])}, ...: their signs alternate and "
        f"they fall in size, so that the printed sum lies between `{ends[0]}` and `{ends[1]}`; it is "
        f"about {float(claimed):.6g}.",
    ]


def _slope(claim: Mapping[str, Any], case: Case, text: str, printed: str) -> list[str]:
    """A derivative, beside a difference quotient that a calculator gives."""
    tree = ast.parse(text, mode="eval").body
    size = isinstance(tree, ast.Call) and getattr(tree.func, "id", "") == "abs"
    call = tree.args[0] if size and isinstance(tree, ast.Call) else tree
    if not isinstance(call, ast.Call) or len(call.args) != 2:
        return []
    body, by = ast.unparse(call.args[0]), ast.unparse(call.args[1])
    rest = {name: str(number) for name, number in case.numbers.items() if name != by}
    function = parse(put_in(body, rest))
    at = sp.Rational(case.numbers[by])
    slope = sp.diff(function, sp.Symbol(by)).subs(sp.Symbol(by), at)
    true = abs(slope) if size else slope
    claimed = worked(printed, case, lambda _: None)[1]
    if not _sides(claim, true, claimed):
        return []
    ends = [sp.N(function.subs(sp.Symbol(by), at + sign * sp.Rational(STEP)), 12) for sign in (1, -1)]
    quotient = (ends[0] - ends[1]) / (2 * sp.Rational(STEP))
    put = ", ".join(f"{name} = {number}" for name, number in rest.items())
    what = "the size of the derivative" if size else "the derivative"
    return [
        f"Take {put}: the quantity is {what} of {formula(f'f({by}) = {function}')}.",
        f"Numerically, `(f({at + sp.Rational(STEP)}) - f({at - sp.Rational(STEP)}))/({2 * STEP})` is about "
        f"{float(quotient):.6g}; exactly, {'in size ' if size else ''}it is about {float(true):.6g} at {by} = {at}.",
        f"The print gives {chain(told(claimed))}.",
    ]
