"""``twofold eval``: print, derived value and simulated value of one claim at the user's own parameters and matrices."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from montecarlo.cases import NEGATIVE
from proofs_check.cases.given import MAX_T, keys
from proofs_check.checks.evidence import RunContext
from proofs_check.checks.intervals import Interval
from proofs_check.checks.matrices import entry_rows
from proofs_check.checks.sampling import measure, plan_case
from proofs_check.claims.pairing import Pair, Target
from proofs_check.inputs.errors import UsageError, nearest
from proofs_check.inputs.files import read_bytes
from proofs_check.inputs.plugins import empirical_check
from theorems.claims.catalogue import STRUCTURED, Statement, is_data
from theorems.kernel.catalogued import said
from theorems.kernel.matrix_claims import matrix_of
from theorems.statement.expression import MOMENTS

#: Largest dimension of a user's matrix.
MAX_D = 512
#: Seconds for each entry of a user's matrices, which are read, multiplied and sampled; of how many seconds it is told.
SECONDS_AN_ENTRY, LONG = 3.5e-5, 3
#: Largest size of a number, and the inverse of the smallest.
LARGEST = 1e60
#: A number as people write it; what 1e999999999 is, is not written out.
NUMBER = re.compile(r"[+-]?(\d{1,80}/\d{1,80}|(\d{1,80}(\.\d{0,80})?|\.\d{1,80})([eE][+-]?\d{1,3})?)", re.ASCII)
#: What to do where a file holds no such array.
WRITES = "np.save(FILE, np.asarray(A, float)) writes one"
#: How far a matrix may be from symmetric, relative to its size.
ROUNDING = 1e-10


def load(argument: str, path: str, shape: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """A real, finite array of ``shape`` axes from an .npy file, read without pickle; UsageError otherwise."""
    raw = read_bytes(argument, path, mend=WRITES)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            array = np.load(io.BytesIO(raw), allow_pickle=False)
    # a header is read by Python's own parser, which raises what it likes, and may ask for all memory there is
    except (Exception, MemoryError) as error:
        held = "Python objects" if "allow_pickle" in str(error) else "no array that can be read"
        raise UsageError(argument, path, f"an .npy file of numbers; it holds {held}", WRITES) from None
    if not isinstance(array, np.ndarray):
        raise UsageError(argument, path, "one array; an .npz archive holds several", WRITES)
    if array.dtype.kind not in "fiu":
        raise UsageError(argument, path, f"real numbers; the array's type is {array.dtype}", WRITES)
    if array.ndim != shape or array.size == 0 or (shape == 2 and array.shape[0] != array.shape[1]):
        wanted = "a square matrix (d, d)" if shape == 2 else "a vector (d,)"
        raise UsageError(argument, path, f"{wanted}; its shape is {array.shape}", "reshape it")
    if len(array) > MAX_D:
        raise UsageError(argument, path, f"d <= {MAX_D}; it is {len(array)}", "take fewer coordinates")
    with np.errstate(over="ignore"):
        values = array.astype(np.float64)
    if not np.isfinite(values).all():
        raise UsageError(argument, path, "finite numbers; it holds NaN or infinity", "replace them")
    sizes = np.abs(values[values != 0.0])
    if len(sizes) and (sizes.max() > LARGEST or sizes.min() < 1.0 / LARGEST):
        raise UsageError(argument, path, f"numbers between {1 / LARGEST:g} and {LARGEST:g} in size, or 0", "rescale it")
    return values


def covariance(path: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Sigma from a file: symmetric and positive semidefinite up to rounding; UsageError in one line otherwise."""
    matrix = load("--sigma", path, 2)
    size = float(np.abs(matrix).max())
    if float(np.abs(matrix - matrix.T).max()) > ROUNDING * max(size, 1e-300):
        raise UsageError("--sigma", path, "a symmetric matrix", "use (S + S.T)/2")
    matrix = (matrix + matrix.T) / 2
    values = np.linalg.eigvalsh(matrix)
    if values[0] < -NEGATIVE * float(np.abs(values).max()):
        wanted = f"a positive semidefinite matrix; its least eigenvalue is {float(values[0]):.3g}"
        mend = "where that is rounding, give its projection: v, U = np.linalg.eigh(S); (U * v.clip(0)) @ U.T"
        raise UsageError("--sigma", path, wanted, mend)
    return matrix


def exact(array: np.ndarray[Any, np.dtype[np.float64]]) -> Any:
    """The array's numbers as exact rationals in text."""
    if array.ndim > 1:
        return [exact(row) for row in array]
    # 200,000 entries of a matrix are read and written here: what a Fraction's text is, without one
    pairs = (value.as_integer_ratio() for value in array.tolist())
    return [str(above) if below == 1 else f"{above}/{below}" for above, below in pairs]


def case_of(
    claim: Statement, settings: Mapping[str, str], arrays: Mapping[str, str], vectors: Mapping[str, str]
) -> tuple[dict[str, Any], bool]:
    """The case that the user describes, and whether its W is symmetric.

    ``settings`` are NAME -> text of --set, ``arrays`` and ``vectors`` NAME -> file. What is not given: Sigma is the
    identity, the walk starts as the paper's. Raises UsageError in one line, of the claim before any of its files.
    """
    if what := without_value(claim):
        raise UsageError("ID", claim.id, f"a claim with a value at a case; this one is {what}")
    if is_data(claim):
        return stated_case(claim, settings, arrays, vectors), True
    if vectors:
        name, path = next(iter(vectors.items()))
        raise UsageError("--vector", f"{name}={path}", f"a claim that has vectors; {claim.id} takes --m, --a and --b")
    required, optional = keys(claim)
    if claim.model in STRUCTURED:
        mend = f"twofold verify {claim.id} --case JSON, with the keys {', '.join(required)}"
        raise UsageError("ID", claim.id, "a claim whose case is numbers, W and Sigma", mend)
    allowed = (*required, *optional)
    case: dict[str, Any] = {}
    symmetric = True
    for name, path in arrays.items():
        if name not in allowed:
            raise UsageError(f"--{name.lower()}", path, f"a parameter of {claim.id}: {', '.join(allowed)}")
        values = covariance(path) if name == "Sigma" else load(f"--{name.lower()}", path, 2 if name == "W" else 1)
        if name == "W":
            symmetric = bool((values == values.T).all())
        if case.setdefault("d", len(values)) != len(values):
            raise UsageError(f"--{name.lower()}", path, f"d = {case['d']}, as the other arrays; it has {len(values)}")
        case[name] = exact(values)
    for name, text in settings.items():
        if name in allowed and name in ("W", "Sigma", "m", "a", "b"):
            raise UsageError("--set", f"{name}={text}", "a number", f"give it as --{name.lower()} FILE.npy")
        if name == "theta" and claim.regime:
            raise UsageError("--set", f"theta={text}", "T and i; theta is i/T")
        if name not in allowed:
            near = nearest(name, allowed, 1)
            mend = f"nearest: {near[0]}" if near else ""
            raise UsageError("--set", f"{name}={text}", f"one of {', '.join(allowed)}", mend)
        if name == "start":
            if text not in ("sigma", "zero"):
                raise UsageError("--set", f"start={text}", "start=sigma or start=zero")
            case[name] = text
        elif name in ("d", "i", "j", "T"):
            if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= MAX_T or len(text) > 9:
                raise UsageError("--set", f"{name}={text}", f"an integer from 1 to {MAX_T}")
            if case.get(name, int(text)) != int(text):
                raise UsageError("--set", f"{name}={text}", f"d = {case[name]}, as the arrays have")
            case[name] = int(text)
        else:
            case[name] = _rational(name, text)
    if "Sigma" in allowed and "Sigma" not in case:
        size = case.get("d", 1)
        case["Sigma"] = [[str(int(r == c)) for c in range(size)] for r in range(size)]
    if "d" in allowed:
        case.setdefault("d", len(case.get("Sigma", [1])))
    if claim.model == "walk":
        case.setdefault("start", "sigma")
    missing = [name for name in required if name not in case]
    if missing:
        flag = (
            f"--{missing[0].lower()} FILE.npy"
            if missing[0] in ("W", "Sigma", "m", "a", "b")
            else f"--set {missing[0]}=..."
        )
        raise UsageError("ID", claim.id, f"values for {', '.join(missing)} too", f"add {flag}")
    last = 1
    for name in claim.positions:
        if case[name] < last:
            raise UsageError("--set", f"{name}={case[name]}", f"{' <= '.join(('1', *claim.positions))}")
        last = case[name]
    if last > case.get("T", last):
        raise UsageError("--set", f"T={case['T']}", f"T >= {last}, the last position")
    named = [name for name in claim.printed if claim.says is not None and name in claim.says.quantities]
    for prop in [said(claim, name) for name in named]:
        for name, known in prop.known.ranges.items():
            if name in settings and name in prop.parameters and not known.holds(Fraction(case[name])):
                told = ", ".join(prop.known.texts)
                raise UsageError("--set", f"{name}={settings[name]}", f"what satisfies the hypotheses: {told}")
    return case, symmetric


def without_value(claim: Statement) -> str:
    """What a claim is that has no value at a case of its own; empty where it has one."""
    from montecarlo.empirical_checks import Growth, Search

    if is_data(claim):
        return "about a limit" if any(said(claim, name).limit.variable for name in claim.printed) else ""
    if claim.model in STRUCTURED:
        return ""
    found = empirical_check(claim)
    if isinstance(found, Search):
        return "a bound that is searched"
    return "about orders of growth" if isinstance(found, Growth) else ""


def stated_case(
    claim: Statement, settings: Mapping[str, str], arrays: Mapping[str, str], vectors: Mapping[str, str]
) -> dict[str, Any]:
    """The case of a claim that is a statement: its vectors and matrices from files, its other names by --set."""
    from proofs_check.cases.of_statements import satisfied

    props = [said(claim, name) for name in claim.printed]
    wanted = {name for prop in props for name in prop.known.vectors}
    matrices = {name for prop in props for name in prop.matrices} | {"Sigma"}
    case: dict[str, Any] = {}
    for argument, given, known in (("--vector", vectors, wanted), ("--w or --sigma", arrays, matrices)):
        for name, path in given.items():
            if name not in known:
                raise UsageError(argument, f"{name}={path}", f"one of {', '.join(sorted(known)) or 'none'}")
            values = covariance(path) if name == "Sigma" else load(argument, path, 1 if name in wanted else 2)
            if case.setdefault("d", len(values)) != len(values):
                raise UsageError(argument, f"{name}={path}", f"d = {case['d']}, as the others; it has {len(values)}")
            case[name] = exact(values)
    for name, text in settings.items():
        # a declared name of a position: m for T
        own = claim.says.quantities.get(name, name) if claim.says is not None else name
        if own in {place for prop in props for place in (*prop.positions, "T", "d")}:
            if not text.isascii() or not text.isdigit() or len(text) > 9 or not 1 <= int(text) <= MAX_T:
                raise UsageError("--set", f"{name}={text}", f"an integer from 1 to {MAX_T}")
            case[own] = int(text)
        elif own in {one for prop in props for one in prop.parameters}:
            case[own] = _rational(name, text)
        else:
            raise UsageError("--set", f"{name}={text}", "a name of the statement", f"twofold show {claim.id} has it")
    case.setdefault("d", 1)
    case.setdefault("Sigma", [[str(int(r == c)) for c in range(case["d"])] for r in range(case["d"])])
    places = {name for prop in props for name in (*prop.positions, *prop.parameters)}
    missing = sorted((wanted | places | matrices) - set(case))
    if missing:
        flag = f"--vector {missing[0]}=FILE.npy" if missing[0] in wanted else f"--set {missing[0]}=..."
        raise UsageError("ID", claim.id, f"values for {', '.join(missing)} too", f"add {flag}")
    if not all(satisfied(prop, {n: v for n, v in case.items() if n != "Sigma" or prop.random}) for prop in props):
        raise UsageError("--set", claim.id, "a case that satisfies the statement's hypotheses")
    return case


def explore_stated(
    claim: Statement, case: Mapping[str, Any], context: RunContext
) -> list[tuple[str, Target, Interval | None, int, str]]:
    """Every quantity of a claim that is a statement: print and derived value, and where tokens occur its interval."""
    from proofs_check.statements.at_case import exact_at, sampled_at
    from proofs_check.statements.measuring import TooDearError

    rows: list[tuple[str, Target, Interval | None, int, str]] = []
    for name in claim.printed:
        derived, printed = exact_at(claim, name, case)
        if derived is None:
            raise UsageError("ID", claim.id, "a claim whose quantity has a derived value; this one is only bounded")
        target = Target(name, derived, printed, derived, printed)
        interval, walks, told = None, 0, "exact"
        if said(claim, name).left.has(*MOMENTS):
            delta = claim.alpha / len(claim.printed)
            try:
                found = sampled_at(
                    claim, name, case, seed=context.seed, delta=delta, effort=context.effort_name, mark="eval"
                )
                interval = Interval(*found.left, found.centre, 0.0, 0.0)
                walks, told = found.walks, f"{100 * found.tolerance / (found.scale or 1):.2g}%"
            except TooDearError:
                told = "too dear to simulate at this effort"
        rows.append((name, target, interval, walks, told))
    return rows


def _rational(name: str, text: str) -> str:
    try:
        value = Fraction(text) if NUMBER.fullmatch(text) else None
    except (ValueError, ZeroDivisionError):
        value = None
    if value is None or (name == "lam" and value <= 0):
        wanted = "a positive number" if name == "lam" else "a number"
        raise UsageError("--set", f"{name}={text}", f"{wanted} such as 3/2 or 0.75")
    largest = Fraction(f"{LARGEST:g}")
    if value and not 1 / largest <= abs(value) <= largest:
        raise UsageError("--set", f"{name}={text}", f"a number between {1 / LARGEST:g} and {LARGEST:g} in size, or 0")
    return str(value)


def expected_seconds(case: Mapping[str, Any]) -> float:
    """About how long a case takes on two cores; entries of W and Sigma, d^2 each, are what grows."""
    matrices = [value for value in case.values() if isinstance(value, list) and value and isinstance(value[0], list)]
    return SECONDS_AN_ENTRY * sum(len(row) for matrix in matrices for row in matrix)


def explored(
    claim: Statement, case: Mapping[str, Any], symmetric: bool, context: RunContext
) -> list[tuple[str, Target, Interval | None, int, str]]:
    """What `explore` finds; UsageError in one line for a case that no simulation takes, or beyond floating point."""
    from montecarlo.cases import CaseError

    try:
        return explore(claim, case, symmetric, context)
    except CaseError as error:
        raise UsageError("--set", claim.id, f"a case that can be simulated ({error})") from None
    except OverflowError:
        mend = "rescale W, Sigma or lam"
        raise UsageError("--set", claim.id, "numbers whose moments stay in floating point's range", mend) from None


def explore(
    claim: Statement, case: Mapping[str, Any], symmetric: bool, context: RunContext
) -> list[tuple[str, Target, Interval | None, int, str]]:
    """Every quantity of the claim at the case: what is printed, derived and simulated, with walks and a remark."""
    from montecarlo.empirical_checks import Simulation

    if is_data(claim):
        return explore_stated(claim, case, context)
    pair = Pair(claim, symmetric=symmetric)
    found = empirical_check(claim)
    if not isinstance(found, Simulation):
        from montecarlo.directly import evaluate

        matrix = matrix_of(pair.derived())
        if matrix is not None:
            return entry_rows(pair, matrix, found, case)
        rows: list[tuple[str, Target, Interval | None, int, str]] = []
        for name, (value, error) in evaluate(found, pair.handed(case)).items():
            interval = Interval(value - error, value + error, value, 0.0, error)
            rows.append((name, pair.target(name, case), interval, 1, "evaluated"))
        return rows
    delta = claim.alpha / len(pair.sampled_names)
    planned = None
    for coarser in (1, 2, 4, 8, 16, 32):
        effort = replace(context.effort, factor=context.effort.factor * coarser)
        planned = plan_case(pair, found, case, delta, replace(context, effort=effort))
        if planned is not None:
            break
    if planned is None:
        dear = "too dear to simulate at this effort"
        return [(name, pair.target(name, case), None, 0, dear) for name in pair.sampled_names]
    measured = measure(pair, found, planned, delta, context, "eval")
    return [(m.target.name, m.target, m.interval, m.count, f"{100 * m.detectable:.2g}%") for m in measured]
