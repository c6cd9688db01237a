"""The case a user hands over with ``--case``: JSON read as exact data, checked against the claim's model.

Nothing in it is evaluated. A number that is no token count is an integer or a string "p/q"; a matrix is a list of
rows. Numbers come out as strings "p/q" in lowest terms, token counts and d as integers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import chain
from typing import Any

from proofs_check.cases import given_structured as structured_input
from proofs_check.cases.entries import count, fail, rational
from proofs_check.cases.of_statements import UNITS, exact_case, names_given, satisfied, unit
from proofs_check.inputs.data import json_of
from proofs_check.inputs.errors import nearest, shown
from theorems.claims.catalogue import STRUCTURED, Statement, is_data
from theorems.claims.growth import SHORTEST
from theorems.kernel.catalogued import left_side, said
from theorems.statement.expression import StatementError
from theorems.statement.values.cases import failures

#: Most dimensions, most tokens.
MAX_D, MAX_T = 64, 4096
#: Where exact work gives up: the integers of Sigma's elimination, and common denominators of matrices and vectors, stay
#: below 2**MAX_BITS, their time below seconds.
MAX_BITS = 8192

STARTS = ("sigma", "zero")
_COUNTS = ("i", "j", "T")
_VECTORS = ("m", "a", "b")

Matrix = list[list[Fraction]]


def keys(claim: Statement) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The keys that a case of this claim must have, and those it may have."""
    if claim.model in STRUCTURED:
        return structured_input.keys(claim)
    required: list[str] = []
    optional: list[str] = []
    if claim.model not in ("none", "free"):
        optional.append("d")
        # A claim about moments of x alone (Eq. 12) assumes nothing about W and needs none.
        (required if any("W" in text for text in claim.assumptions) else optional).append("W")
        # a claim about W_QK alone is replayed without Sigma
        alone = claim.model == "matrix" and not any("Sigma" in text for text in claim.assumptions)
        (optional if alone else required).append("Sigma")
    if claim.model == "walk":
        optional += ["start", "T"]
    if claim.model == "gaussian":
        required.append("m")
    if any(name in claim.positions for name in claim.regime):
        optional.append("theta")
    required += [name for name in (*claim.positions, *claim.parameters) if name not in required]
    return tuple(required), tuple(name for name in optional if name not in required)


def _vector(name: str, value: object, d: int) -> list[Fraction]:
    if not isinstance(value, list) or len(value) != d:
        fail(f"{name} = {shown(value)}", f"a list of {d} numbers (d = {d})")
    return [rational(f"{name}[{index}]", entry) for index, entry in enumerate(value)]


def _check_denominator(name: str, numbers: Iterable[Fraction]) -> None:
    """Refuse what exact products would carry along in every number, and at d = 64 for minutes."""
    common = 1
    for number in numbers:
        common = math.lcm(common, number.denominator)
        if common.bit_length() > MAX_BITS:
            mend = "round them to one denominator, such as 10**12"
            fail(name, f"numbers whose least common denominator has at most {MAX_BITS} bits", mend)


def _matrix(name: str, value: object, d: int) -> Matrix:
    if not isinstance(value, list) or len(value) != d:
        fail(f"{name} = {shown(value)}", f"a list of {d} rows of {d} numbers each (d = {d})")
    rows = [_vector(f"{name}[{index}]", row, d) for index, row in enumerate(value)]
    for r in range(d):
        for c in range(r):
            if rows[r][c] != rows[c][r]:
                fail(f"{name}[{r}][{c}] = {rows[r][c]}", f"a symmetric matrix; {name}[{c}][{r}] = {rows[c][r]}")
    return rows


def positive_semidefinite(matrix: Sequence[Sequence[Fraction]]) -> bool:
    """Whether a symmetric rational matrix has x^T M x >= 0 for every x, decided exactly.

    Symmetric fraction-free elimination: a negative pivot, or a zero pivot in a row that is not zero, is a witness
    against it. Raises OverflowError where the integers would grow beyond 2**MAX_BITS.
    """
    size = len(matrix)
    scale = [math.lcm(*(entry.denominator for entry in row)) for row in matrix]
    # D M D with the positive diagonal D of row denominators is an integer matrix of the same signs.
    work = [[int(matrix[r][c] * scale[r] * scale[c]) for c in range(size)] for r in range(size)]
    previous = 1
    for k in range(size):
        pivot = work[k][k]
        if pivot < 0:
            return False
        if pivot == 0:
            if any(work[k][c] for c in range(k + 1, size)):
                return False
            continue
        if pivot.bit_length() > MAX_BITS:
            raise OverflowError
        for r in range(k + 1, size):
            for c in range(r, size):
                work[r][c] = (pivot * work[r][c] - work[k][r] * work[k][c]) // previous
        previous = pivot
    return True


def _dimension(data: dict[str, Any]) -> int:
    """d, as given or as the number of entries of the first matrix or vector."""
    if "d" in data:
        return count("d", data["d"], MAX_D)
    for name in ("Sigma", "W", *_VECTORS):
        if isinstance(data.get(name), list):
            return count(f"number of entries of {name}", len(data[name]), MAX_D)
    fail(f"Sigma = {shown(data.get('Sigma'))}", "a list of rows")


def _load(text: str) -> dict[str, Any]:
    try:
        data = json_of(text)
    except ValueError as error:
        fail(shown(text), f"a JSON object ({error})", 'write it as {"d": 1, "Sigma": [["1"]]}')
    if not isinstance(data, dict):
        fail(shown(text), "a JSON object", 'write it as {"d": 1, "Sigma": [["1"]]}')
    return data


def _said(claim: Statement, data: dict[str, Any]) -> dict[str, Any]:
    """A case of what a claim says in the language, in rational numbers, which satisfies its hypotheses."""
    props = [said(claim, name) for name in claim.printed]
    # how often what is given is a list of lists
    needed = {name: depth for prop in props for name, depth in names_given(prop).items()}
    if "d" in needed and not data.keys().isdisjoint(("d", "Sigma", "W", *_VECTORS)):
        data["d"] = _dimension(data)
    if needed.keys() >= {*UNITS, *data} - {"entry"} and isinstance(data.get("entry"), list) and "d" in data:
        # as reports say which entry of a matrix of moments is looked at
        places = [count("entry", place, data["d"]) for place in data.pop("entry")]
        data |= {name: unit(place, data["d"]) for name, place in zip(UNITS, places, strict=False)}
    if "start" not in needed and data.get("start") == STARTS[0]:
        # the law says the start, this one unless it says another
        del data["start"]
    for name in data.keys() - needed.keys():
        fail(f"key {shown(name)}", f"a key of {claim.id}: {', '.join(sorted(needed))}")
    if missing := sorted(needed.keys() - data.keys()):
        fail(shown(data), f"the key{'s' * (len(missing) > 1)} {', '.join(missing)} too")
    whole = {name for prop in props for name in prop.positions}

    def exact(name: str, value: object, depth: int) -> Any:
        if not depth:
            return count(name, value, MAX_T) if name in whole else str(rational(name, value))
        if not isinstance(value, list) or not value:
            fail(f"{name} = {shown(value)}", "a list of numbers" if depth == 1 else "a list of rows")
        found = [exact(f"{name}[{index}]", entry, depth - 1) for index, entry in enumerate(value)]
        if depth == 2 and len({len(row) for row in found}) > 1:
            fail(f"{name} = {shown(value)}", "rows of one length")
        return found

    case = {name: value if name == "d" else exact(name, value, needed[name]) for name, value in data.items()}
    for prop in props:
        if not satisfied(prop, case):
            why = next(failures(prop, exact_case(prop, case)), "the hypotheses about moments")
            fail(shown(data), f"a case that satisfies the hypotheses: {why}")
    return case


def parse_case(text: str, claim: Statement) -> dict[str, Any]:
    """The case in exact, canonical form; raises UsageError in one line for anything else.

    The order of positions that the claim assumes (i <= j <= T) is checked; matrices are symmetric d x d, Sigma is
    positive semidefinite (decided in rationals), lam > 0 and 0 <= theta <= 1. A walk without "start" starts as the
    paper's does (x_1 ~ N(0, Sigma)).
    """
    data = _load(text)
    if is_data(claim):
        return _said(claim, data)
    if claim.model in STRUCTURED:
        return structured_input.check(claim, data)
    required, optional = keys(claim)
    allowed = (*required, *optional)
    for name in data:
        if name not in allowed:
            near = nearest(name, allowed)
            fail(
                f"key {shown(name)}",
                f"a key of {claim.id}: {', '.join(allowed)}",
                f"nearest: {near[0]}" if near else "",
            )
    missing = [name for name in required if name not in data]
    if missing:
        fail(
            shown(text),
            f"the key{'s' * (len(missing) > 1)} {', '.join(missing)} too",
            f"{claim.id} needs {', '.join(required)}",
        )

    if claim.model == "free":
        return _free(claim, data, required)
    case: dict[str, Any] = {}
    if claim.model != "none":
        case["d"] = d = _dimension(data)
    for name in _COUNTS:
        if name in data:
            value = count(name, data[name], MAX_T)
            if claim.relation == "order" and value < SHORTEST:
                fail(f"{name} = {value}", f"at least {SHORTEST}", "growth shows at long walks alone")
            before = [case[one] for one in _COUNTS if one in case and case[one] > value and _ordered(claim, one, name)]
            if before:
                order = " <= ".join(count for count in _COUNTS if count in data)
                fail(f"{name} = {value}", f"{order}; a position before it is {before[-1]}")
            case[name] = value
    for name in ("W", "Sigma"):
        if name in data:
            matrix = _matrix(name, data[name], d)
            _check_denominator(name, chain.from_iterable(matrix))
            if name == "Sigma":
                _check_covariance(matrix)
                unit = [[Fraction(int(r == c)) for c in range(d)] for r in range(d)]
                if claim.covariance == "identity" and matrix != unit:
                    fail(f"Sigma = {shown(data[name])}", f"the identity: {claim.id} is about Sigma = I")
            case[name] = [[str(entry) for entry in row] for row in matrix]
    for name in _VECTORS:
        if name in data:
            vector = _vector(name, data[name], d)
            _check_denominator(name, vector)
            case[name] = [str(entry) for entry in vector]
    if claim.model == "walk":
        case["start"] = data.get("start", STARTS[0])
        if case["start"] not in STARTS:
            fail(f"start = {shown(case['start'])}", f"one of {', '.join(STARTS)}")
    for name, low, high, expected in (("lam", 0, None, "a positive number"), ("theta", 0, 1, "a number from 0 to 1")):
        if name in data:
            number = rational(name, data[name])
            if number < low or (high is None and number == 0) or (high is not None and number > high):
                fail(f"{name} = {number}", expected)
            case[name] = str(number)
    return case


def _ordered(claim: Statement, one: str, two: str) -> bool:
    """Whether a claim is about one <= two alone: by its hypotheses, or, where it stands in words, by convention."""
    if claim.says is None:
        return True
    for name in claim.says.quantities:
        try:
            tightest = left_side(claim.says, name).known.places.shortest((one, two))
        except StatementError:
            continue
        if tightest is not None and tightest[one, two] <= 0:
            return True
    return False


def _free(claim: Statement, data: dict[str, Any], required: Sequence[str]) -> dict[str, Any]:
    """The parameters of a free claim; of one about a printed object, within what its values are drawn from."""
    from proofs_check.cases.free_ranges import ends, tied, ties, whole

    case = {name: rational(name, data[name]) for name in required}
    parts = (claim.ranges, *claim.strata, *claim.further)
    texts = {name: str(value) for name, value in case.items()}
    # a parameter at the end that a condition between parameters leaves it is drawn as well
    at_ends = {name for told, (name, _) in ties(claim).items() if tied(claim, told, texts) == texts}
    for name, value in case.items():
        drawn = sorted({Fraction(v) for part in parts for v in part.get(name, ())})
        # what is drawn from counts is a count, of a size that an empirical check can build
        if drawn and whole(claim, name) and drawn[0] > 0 and name not in ("kappa", "lam", "budget"):
            most = max(MAX_D, 4 * int(drawn[-1]))
            if value.denominator != 1 or not 1 <= value <= most:
                fail(f"{name} = {value}", f"an integer from 1 to {most}")
        if claim.definitions and name not in at_ends:
            known = sorted({*drawn, *map(Fraction, ends(claim).get(name, ()))})
            counted = whole(claim, name)
            if not known[0] <= value <= known[-1] or (counted and value.denominator != 1):
                kind = "an integer" if counted else "a number"
                fail(f"{name} = {value}", f"{kind} from {known[0]} to {known[-1]}")
    return {name: str(value) for name, value in case.items()}


def _check_covariance(Sigma: Matrix) -> None:
    try:
        if not positive_semidefinite(Sigma):
            shape = [[str(entry) for entry in row] for row in Sigma]
            fail(f"Sigma = {shown(shape)}", "a covariance: positive semidefinite")
    except OverflowError:
        fail("Sigma", "numbers small enough to decide exactly that it is positive semidefinite", "use fewer digits")
