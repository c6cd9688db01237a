"""Cases as wide as a claim's hypotheses, each draw aimed at one of their edges, and what a set of cases covers.

Dimensions up to 16, lengths up to 1024, W and Sigma that do not commute, singular, nearly singular, traceless and
indefinite ones, sizes from 10^-6 to 10^6, positions that coincide and lie at the ends, every start and every law.
An *aim* fixes one thing and leaves the rest free. Whether a case meets an edge is read off the case, not off the aim,
so that a strategy which stops reaching an edge is noticed (``missed``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence, Set
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from random import Random
from typing import Any, NamedTuple

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from proofs_check.cases import structured, structured_edges
from proofs_check.cases.drawing import EnoughError, each, integers, least, sampled_from
from proofs_check.cases.drawn import SLOTS, TRACELESS, Asked, Case, key, meets
from proofs_check.cases.free_ranges import between, corners, simplest_first, strata, tied, ties, whole
from proofs_check.cases.rotations import rotated
from proofs_check.claims.report import Range
from theorems.claims.catalogue import STRUCTURED, Statement

Aim = Mapping[str, Any]
Draw = Callable[[st.SearchStrategy[Any]], Any]

#: Models whose cases are matrices, and positions of tokens where there are any.
TOKENS = ("walk", "gaussian", "matrix")
LARGEST, LONGEST = 16, 1024
#: Eigenvalues of W by kind, and variances of Sigma: simplest first.
SPECTRA: Mapping[str, tuple[str, ...]] = {
    "any": ("1", "-1", "2", "1/2", "-2", "3", "-3/2", "0"),
    "positive": ("1", "2", "1/2", "3"),
    "negative": ("-1", "-2", "-1/2", "-3"),
}
VARIANCES = ("1", "2", "1/4", "3", "1/64")
TINY = "1/1000000"
#: Sizes that W and Sigma are multiplied by; an entry stays below 10^6.
SIZES = ("1", "1/1000", "100", "1/1000000", "100000")
SMALL, LARGE = Fraction(1, 10**5), Fraction(10**4)
RATIONAL = re.compile(r"-?\d+(/\d+)?")
TEMPERATURES = ("1", "2", "1/2", "3", "1/1000", "1000")
ENTRIES = ("1", "2", "-1", "1/2", "0", "-2", "1000", "1/1000")
#: Most draws that are made for one that is kept, and where conditions refuse many.
TRIES, HARD = 4, 12
#: Aims at an edge that are taken once more, and draws of each.
AIMS, EACH = 4, 2
#: A length from which on a walk is long.
LONG = 100

MATRIX_AIMS: tuple[Aim, ...] = (
    *({"d": d} for d in (1, 2, 5, LARGEST)),
    *({"W": kind, "d": 3} for kind in ("positive", "negative", "indefinite", "singular", "traceless", "zero")),
    *({"Sigma": kind, "d": 3} for kind in ("isotropic", "turned", "singular", "near-singular", "zero")),
    *({"W size": size, "d": 2} for size in SIZES[-2:]),
    *({"Sigma size": size, "d": 2} for size in SIZES[-2:]),
)
PLACES = ("one", "first", "last", "together", "inside", "far")


class Lengths(NamedTuple):
    """The longest walks of any draw, and of one that is aimed at long ones."""

    usual: int = LONGEST
    far: int = LONGEST


LONG_WALKS = Lengths()


def aims(statement: Statement) -> tuple[Aim, ...]:
    """What draws aim at, one after the other; the first leaves everything free."""
    if statement.model in TOKENS:
        found = [aim for aim in MATRIX_AIMS if _allowed(statement, aim)]
        if statement.model == "walk":
            found += [{"places": kind} for kind in PLACES] + [{"start": "zero"}]
        found += [{"lam": value} for value in TEMPERATURES[-2:] if "lam" in statement.parameters]
        found += [{"vector": "0"}] * bool(_vectors(statement))
        return ({}, *found)
    if statement.model == "free":
        found = [{name: value} for name, ends in corners(statement).items() for value in ends]
        return ({}, *found, *({"tie": told} for told in ties(statement)))
    if statement.model == "none":
        return (
            {},
            {"T": 1},
            {"T": 2},
            {"T": LONG + 1},
            {"end": True},
            *(({"first": True},) * ("i" in statement.parameters)),
        )
    found = [aim for aim in STRUCTURED_AIMS[statement.model] if _possible(statement, aim)]
    return ({}, *found, *({name: (end,)} for name, ends in structured_edges.sizes(statement).items() for end in ends))


def _possible(statement: Statement, aim: Aim) -> bool:
    """Whether the conditions leave cases of an aim."""
    conditions = statement.conditions
    if structured_edges.forbids(conditions, aim.get("family", "")):
        return False
    if "beta*t1 > 0" in conditions and ("flat" in aim or Fraction(aim.get("ratio", "1")) <= 0):
        return False
    if "sink_norm == 0" in conditions and aim.get("null") is False:
        return False
    return not ("keys" in aim and ("keys == 1" in conditions or ("out_norm == 0" in conditions and aim["keys"] == 1)))


def _allowed(statement: Statement, aim: Aim) -> bool:
    if statement.covariance == "identity" and ("Sigma" in aim or "Sigma size" in aim):
        return False
    # a trace that vanishes leaves W no sign, and no value but 0 in one dimension
    return TRACELESS not in statement.conditions or (
        "W" not in aim and aim.get("d") != 1 and aim.get("Sigma") != "zero"
    )


def _vectors(statement: Statement) -> list[str]:
    return [*(["m"] if statement.model == "gaussian" else []), *(n for n in statement.parameters if n in ("a", "b"))]


#: Aims of the models whose cases are exact instances; the dimensions go beyond those that ``structured`` draws.
STRUCTURED_AIMS: Mapping[str, tuple[Aim, ...]] = {
    "embeddings": (
        *({"family": family} for family in structured.FAMILIES),
        *({"apart": True, "d": d} for d in (1, 2, 6)),
        *({"apart": True, "family": family, "d": 2, "T": 3} for family in ("unseen", "collinear")),
        *({"d": 1, "T": 1}, {"d": 2, "T": 10}, {"d": LARGEST, "T": 3}, {"apart": True, "T": 6}),
    ),
    "ensemble": (*SLOTS["ensemble"], {"d": 1}, {"d": 6, "k": 2, "sets": 1}, {"d": 2, "k": 6, "sets": 1}),
    "exchangeable": (
        *(*SLOTS["exchangeable"], {"law": "signs", "d": 1, "k": 2}, {"law": "gaussian", "d": 8, "k": 3}),
        *({"m": "0"}, {"W": "zero"}, {"beta": "-1"}),
    ),
    "context": ({"null": True}, {"null": False}, {"keys": 1}, {"keys": 2}, {"keys": 12}),
    "weighted": ({"n": 1}, {"weight": 0}),
}


@st.composite
def strategy(draw: Draw, statement: Statement, aim: Aim, longest: Lengths = LONG_WALKS) -> Case:
    """A case of the statement's model within what is aimed at; shrinks towards d = 1, W = Sigma = 1, i = 1."""
    if statement.model in TOKENS:
        case = _tokens(draw, statement, aim, longest)
    elif statement.model == "free":
        part = draw(sampled_from(strata(statement, {} if "tie" in aim else aim)))
        drawn_ = {name: draw(between(values, whole(statement, name))) for name, values in part.items()}
        at = tied(statement, aim["tie"], drawn_) if "tie" in aim else drawn_
        assume(at is not None)
        assert at is not None
        case = {**at}
    elif statement.model == "none":
        case = {"T": aim.get("T") or draw(integers(1 + aim.get("first", False), longest.usual))}
        if "i" in statement.parameters:
            i = case["T"] if aim.get("end") else 1 if aim.get("first") else draw(integers(1, case["T"]))
            case["i"] = i
    else:
        assert statement.model in STRUCTURED
        keys = {"keys": 1} if "keys == 1" in statement.conditions else {}
        case = structured.strategy(draw, statement, {**aim, **keys})
    assume(meets(statement, case))
    return case


# -- tokens


def _tokens(draw: Draw, statement: Statement, aim: Aim, longest: Lengths) -> Case:
    traceless = TRACELESS in statement.conditions
    d = aim.get("d") or draw(integers(1, 4) | integers(5, LARGEST))
    several = aim.get("W") in ("indefinite", "traceless") or aim.get("Sigma") == "near-singular"
    d = max(2, d) if traceless or several else d
    Sigma = _covariance(draw, statement, aim, d)
    W = _head(draw, aim, d)
    if traceless:
        W = _less_trace(W, Sigma)
    case: Case = {"d": d, "W": W, "Sigma": Sigma}
    if statement.model == "walk":
        case["start"] = aim.get("start") or draw(sampled_from(("sigma", "sigma", "zero")))
        case |= _positions(draw, statement, aim.get("places", "any"), longest)
    for name in _vectors(statement):
        case[name] = [aim.get("vector") or draw(sampled_from(ENTRIES)) for _ in range(d)]
        if name == "m" and aim.get("Sigma size") == SIZES[-1]:
            # a mean is to be seen beside what varies by hundreds
            case[name] = ["1000"] * d
    if "lam" in statement.parameters:
        case["lam"] = aim.get("lam") or draw(sampled_from(TEMPERATURES))
    return case


def _direction(draw: Draw, d: int, turned: bool = False) -> list[int]:
    found = [draw(integers(0, 2)) for _ in range(d)]
    return [1, *(entry or 1 for entry in found[1:])] if turned else found


def _head(draw: Draw, aim: Aim, d: int) -> list[list[str]]:
    """W, symmetric, of the kind that is aimed at."""
    kind = aim.get("W", "any")
    if kind == "zero":
        return _zero(d)
    values = [draw(sampled_from(SPECTRA.get(kind, SPECTRA["any"]))) for _ in range(d)]
    if kind == "indefinite":
        values[:2] = ["1", "-2"]
    elif kind == "singular":
        values[0] = "0"
    elif kind == "traceless":
        values = [w for value in values[: d // 2] for w in (value if value != "0" else "1", _opposite(value))]
        values += ["0"] * (d % 2)
    elif "W size" in aim:
        values[0] = "1"
    size = Fraction(aim.get("W size") or draw(sampled_from(SIZES[:3])))
    return rotated([str(size * Fraction(w)) for w in values], _direction(draw, d, turned=kind != "any"))


def _zero(d: int) -> list[list[str]]:
    return [["0"] * d for _ in range(d)]


def _opposite(value: str) -> str:
    return str(-(Fraction(value) or 1))


def _covariance(draw: Draw, statement: Statement, aim: Aim, d: int) -> list[list[str]]:
    """Sigma, positive semidefinite, of the kind that is aimed at."""
    kind = aim.get("Sigma", "any")
    if statement.covariance == "identity":
        return rotated(["1"] * d, [0] * d)
    if kind == "zero":
        return _zero(d)
    values = [draw(sampled_from(VARIANCES)) for _ in range(d)]
    if kind == "isotropic":
        values = values[:1] * d
    elif kind in ("turned", "singular", "near-singular"):
        values[0] = {"turned": "7/2", "singular": "0", "near-singular": TINY}[kind]
    elif "Sigma size" in aim:
        values[0] = "1"
    if kind == "near-singular":
        values[1] = "1"
    size = Fraction(aim.get("Sigma size") or draw(sampled_from(SIZES[:3])))
    turned = kind in ("turned", "singular", "near-singular")
    return rotated([str(size * Fraction(v)) for v in values], _direction(draw, d, turned))


def _less_trace(W: list[list[str]], Sigma: list[list[str]]) -> list[list[str]]:
    """W less the multiple of I that makes tr(W Sigma) vanish."""
    axes = range(len(W))
    trace = sum((Fraction(W[r][c]) * Fraction(Sigma[c][r]) for r in axes for c in axes), Fraction(0))
    share = trace / sum(Fraction(Sigma[r][r]) for r in axes)
    return [[str(Fraction(W[r][c]) - share * (r == c)) for c in axes] for r in axes]


def _positions(draw: Draw, statement: Statement, kind: str, longest: Lengths) -> Case:
    """1 <= i <= j <= T, as they are named, coinciding or at an end where that is aimed at."""
    least = {"inside": 4, "first": 2, "together": 2, "far": LONG + 1}.get(kind, 1)
    some = integers(least, longest.far if kind == "far" else longest.usual)
    T = 1 if kind == "one" else draw(some if kind == "far" else integers(least, 9) | some)
    i, j = sorted((draw(integers(1, T)), draw(integers(1, T))))
    if kind == "first":
        i, j = 1, max(j, 2)
    elif kind == "last":
        i = j = T
    elif kind == "together":
        i = j = min(i, T - 1)
    elif kind == "inside":
        i, j = min(max(i, 2), T - 2), min(max(j, 3), T - 1)
        j = max(j, i + 1)
    elif kind == "far" and "T" not in statement.positions:
        # the last position that is named is the length of the walk
        i, j = (T if "j" not in statement.positions else i), T
    places = {"i": i, "j": j, "T": T}
    return {name: places[name] for name in statement.positions}


# -- what cases cover


def edges(statement: Statement) -> frozenset[str]:
    """What the cases of a claim must show between them."""
    if statement.model in TOKENS:
        return frozenset(_edges_of_tokens(statement))
    if statement.model == "free":
        ends_ = (f"{name} = {value}" for name, ends in corners(statement).items() for value in ends)
        return frozenset((*ends_, *ties(statement)))
    if statement.model == "none":
        return frozenset(
            {"T = 1", "T = 2", f"T > {LONG}", *(("i = T", "i = 1 < T") if "i" in statement.parameters else ())}
        )
    return structured_edges.edges(statement)


def _edges_of_tokens(statement: Statement) -> Iterable[str]:
    traceless = TRACELESS in statement.conditions
    yield from ("d = 2", "d > 8") if traceless else ("d = 1", "d = 2", "d > 8")
    if not traceless:
        yield from ("W positive", "W negative", "W singular", "W traceless")
        yield "W = 0"
    yield from ("W indefinite", "W small", "W large")
    if statement.covariance != "identity":
        yield from ("Sigma = 0",) if not traceless else ()
        yield from ("Sigma isotropic", "Sigma singular", "Sigma nearly singular", "Sigma small", "Sigma large")
        yield "W and Sigma do not commute"
    names = statement.positions
    if statement.model == "walk":
        yield from ("start sigma", "start zero", f"{names[-1]} = 1", f"{names[-1]} > {LONG}")
    if names[1:]:
        yield from (f"{a} {sign} {b}" for a, b in pairwise(names) for sign in "=<")
        yield f"{names[0]} = 1 < {names[-1]}"
    if "lam" in statement.parameters:
        yield from ("lam < 1/100", "lam > 100")
    yield from (f"{name} = 0" for name in _vectors(statement))


def features(statement: Statement, case: Mapping[str, Any]) -> set[str]:
    """What a case shows, read off the case itself."""
    if statement.model in TOKENS:
        return _features_of_tokens(statement, case)
    if statement.model in ("free", "none"):
        found = {f"{name} = {value}" for name, value in case.items()}
        if statement.model == "none":
            found |= {f"T > {LONG}"} if case["T"] > LONG else set()
            found |= {"i = T"} if case.get("i") == case["T"] else set()
            found |= {"i = 1 < T"} if case.get("i") == 1 < case["T"] else set()
        return found | {told for told in ties(statement) if tied(statement, told, case) == case}
    return structured_edges.features(statement, case)


def _features_of_tokens(statement: Statement, case: Mapping[str, Any]) -> set[str]:
    found = {*_features_of_matrices(*(tuple(map(tuple, case[name])) for name in ("W", "Sigma")))}
    found |= {f"start {case['start']}"} if "start" in case else set()
    names = statement.positions
    for name in names:
        found |= {f"{name} = 1"} if case[name] == 1 else set()
        found |= {f"{name} > {LONG}"} if case[name] > LONG else set()
    for a, b in pairwise(names):
        found.add(f"{a} {'=' if case[a] == case[b] else '<'} {b}")
    if names and case[names[0]] == 1 < case[names[-1]]:
        found.add(f"{names[0]} = 1 < {names[-1]}")
    if "lam" in case:
        lam = Fraction(case["lam"])
        found |= {"lam < 1/100"} if lam < Fraction(1, 100) else {"lam > 100"} if lam > 100 else set()
    return found | {f"{name} = 0" for name in _vectors(statement) if not any(map(Fraction, case[name]))}


@lru_cache(maxsize=256)
def _features_of_matrices(rows: tuple[tuple[str, ...], ...], covariance: tuple[tuple[str, ...], ...]) -> frozenset[str]:
    """What W and Sigma show; a case is asked for it again with every further one."""
    d, W, Sigma = len(rows), _floats(rows), _floats(covariance)
    found = {f"d = {d}", *(("d > 8",) if d > 8 else ())}
    values, size = np.linalg.eigvalsh(W), float(abs(W).max())
    zero = 1e-9 * size
    signs = {int(np.sign(v)) if abs(v) > zero else 0 for v in values}
    found |= {"W positive"} if signs == {1} else {"W negative"} if signs == {-1} else set()
    found |= {"W indefinite"} if {1, -1} <= signs else set()
    found |= {f"{name} = 0" for name, entries in (("W", W), ("Sigma", Sigma)) if not entries.any()}
    found |= {"W singular"} if 0 in signs and size else set()
    found |= {"W traceless"} if size and not sum(Fraction(rows[k][k]) for k in range(d)) else set()
    spread, top = np.linalg.eigvalsh(Sigma), float(abs(Sigma).max())
    found |= {"Sigma isotropic"} if np.ptp(spread) <= 1e-9 * top and top else set()
    found |= {"Sigma singular"} if spread[0] <= 1e-12 * top and top else set()
    found |= {"Sigma nearly singular"} if 1e-12 * top < spread[0] < 1e-5 * top else set()
    found |= {"W and Sigma do not commute"} if abs(W @ Sigma - Sigma @ W).max() > 1e-9 * size * top else set()
    for name, most in (("W", size), ("Sigma", top)):
        found |= {f"{name} small"} if 0 < most < SMALL else {f"{name} large"} if most > LARGE else set()
    return frozenset(found)


def _floats(rows: Sequence[Sequence[str]]) -> Any:
    return np.array([[float(Fraction(entry)) for entry in row] for row in rows])


def missed(statement: Statement, cases: Iterable[Case]) -> list[str]:
    """The edges of the hypotheses that none of the cases meets."""
    met = {feature for case in cases for feature in features(statement, case)}
    return sorted(edges(statement) - met)


def ranges(cases: Iterable[Case]) -> list[Range]:
    """The least and the largest value of every parameter that is a number."""
    seen: dict[str, set[Fraction]] = {}
    for case in cases:
        for name, value in case.items():
            if isinstance(value, int) or (isinstance(value, str) and RATIONAL.fullmatch(value)):
                seen.setdefault(name, set()).add(Fraction(value))
    return [{"name": name, "least": str(min(found)), "largest": str(max(found))} for name, found in seen.items()]


# -- drawing, shrinking


def drawn(statement: Statement, key_: int, count: int, longest: Lengths = LONG_WALKS) -> list[tuple[Case, Aim]]:
    """At most ``count`` distinct cases, each aim's in turn, with what each was aimed at; the same for the same key.

    Claims of the same hypotheses have the same cases.
    """
    return _each_aim(Asked.of(statement, longest, key_, count))


@lru_cache(maxsize=128)
def _each_aim(asked: Asked) -> list[tuple[Case, Aim]]:
    statement, longest, key_, count = asked.statement, asked.what, asked.seed, asked.count
    targets = aims(statement)
    found: dict[str, tuple[Case, Aim]] = {}
    for place, aim in enumerate(targets):
        # what is left over goes to the draws that are aimed at nothing
        wanted = max(1, count // len(targets)) + (max(0, count - len(targets)) % len(targets) if not aim else 0)
        cases = _aimed(statement, aim, longest, key_ * len(targets) + place, wanted, found)
        found |= {name: (case, aim) for name, case in cases.items()}
    return list(found.values())


def _aimed(
    statement: Statement, aim: Aim, longest: Lengths, key_: int, wanted: int, known: Container[str]
) -> dict[str, Case]:
    hard = bool(statement.conditions) and statement.model not in TOKENS
    tries = wanted * TRIES + (HARD if hard else TRIES)
    return made(strategy(statement, aim, longest), key_, wanted, tries, known)


def drawn_again(
    statement: Statement, key_: int, longest: Lengths, at: Set[str], dark: Set[str], found: Sequence[tuple[Case, Aim]]
) -> Iterator[tuple[Case, Aim]]:
    """Further cases at edges: for each by some of the aims that reached it, by all of them if it is a dark one.

    Where no aim reached it, by all that there are.
    """
    targets, known = aims(statement), {key(case) for case, _ in found}
    reached = [(features(statement, case), aim) for case, aim in found]
    chosen, turn = set[int](), Random(key_)
    for edge in sorted(at):
        there = [targets.index(aim) for met, aim in reached if edge in met]
        some = there if edge in dark else turn.sample(there, min(AIMS, len(there)))
        chosen |= {*some} if there else {*range(len(targets))}
    for place in sorted(chosen):
        cases = _aimed(statement, targets[place], longest, key_ * len(targets) + place, EACH, known)
        yield from ((case, targets[place]) for case in cases.values() if at & features(statement, case))


def made(
    cases: st.SearchStrategy[Case], key_: int, wanted: int, tries: int, known: Container[str] = ()
) -> dict[str, Case]:
    """So many distinct cases by name that are not known, of at most so many tries; fewer where others are refused."""
    found: dict[str, Case] = {}
    # Hypothesis begins with the simplest case, and keeps a tenth of its tries small: later ones take their places
    early = 1 + tries // 10

    def collect(case: Case) -> None:
        if (name := key(case)) not in known:
            found[name] = case
        if len(found) == wanted + early:
            raise EnoughError

    # an edge that no draw reaches is told by ``missed``
    each(cases, key_, tries, collect)
    return dict(list(found.items())[-wanted:])


def smallest(
    statement: Statement, aim: Aim, wrong: Callable[[Case], bool], longest: Lengths, tries: int = 200
) -> Case | None:
    """The smallest case that Hypothesis finds with the property: of this aim in few dimensions, of any, or of this aim.

    What is 0 or singular is seldom drawn but where it is aimed at.
    """
    statement, short = simplest_first(statement), Lengths(min(longest.usual, 9))
    few = [({**aim, "d": d}, short) for d in (1, 2) if "d" in aim and statement.model in TOKENS]
    for near, length in (*few, ({}, short), (aim, longest)):
        found = least(strategy(statement, near, length), wrong, tries, Random(statement.id))
        if found is not None:
            return found
    return None
