"""Mutants of the proof kernel's rules and of the engine: each must refuse a true step, or license a false one.

A mutant of the engine is also caught where a derivation, run again, gives another value or no supported one.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from types import FunctionType

import sympy as sp

from proofs_check.claims.pairing import Pair
from tests.mutation.code import CodeMutant, TooLong, code_mutants, methods, mutated, plain, reached, within
from tests.mutation.probes import Probes, claims, derivations, in_turn, probes
from theorems.algebra import sums
from theorems.algebra.expressions import symbol
from theorems.algebra.ratio import Ratio
from theorems.algebra.sums import close_sum
from theorems.gaussian import exchangeable, words
from theorems.gaussian.moments import increments, wick
from theorems.gaussian.moments.increments import SecondRoute
from theorems.gaussian.observables import Matrix, Vector, W
from theorems.gaussian.process import KERNELS, Kernel, Moment, Process, chain_of
from theorems.kernel.derivation import Derived
from theorems.kernel.settle import settle
from theorems.rules import RULES, licensed

#: Processor seconds that a mutant has for all of its probes: several times what the slowest original takes.
SECONDS = 10.0
#: A function that several rules use is probed by all of their steps by hand, and by so many others of all together.
TRUE, COPIES = 24, 120

#: Derivations that a mutant of the engine must still get right: every way that the engine has, in little time.
DERIVED = (
    *("bao2024.appA.eq11", "bao2024.appA.eq12", "bao2024.appA.eq13", "bao2024.appA.eq14", "bao2024.appA.eq17"),
    *("bao2024.appA.eq18", "bao2024.appC.eq22", "bao2024.appC.lemma1-B2", "bao2024.appC.lemma1-C1"),
    *("bao2024.sec4.lemma1-mean", "bao2024.sec4.lemma1-variance", "bao2024.sec3.diagonal-dominance"),
    *("lampert2026.sec5.dprime-0", "lampert2026.sec5.dprime-1"),
)
#: Methods of a process that compute.
KERNEL = (
    "product",
    "covariance",
    "mean",
    "variance",
    "cov",
    "_closed",
    "_split",
    "_atoms",
    "_place",
    "_pieces",
    "_tokens",
    "_ends",
)
#: Rules that compute with the engine.
ENGINE_RULES = ("isserlis", "wick", "faulhaber", "identity", "limit-kernel", "wick-leading", "exchangeable-moment")

#: A walk with drift seen through noise: positions decide its mean, and two tokens at one place are another matter.
_DRIFT = Kernel("noisy walk with drift", Ratio.of("s"), Ratio.of("s") + 1, Ratio.of("t"))

#: Powers that no derivation has.
_POWERS = itertools.count(100)

Verdict = tuple[str, str]


@functools.cache
def rule_functions() -> Mapping[FunctionType, tuple[str, ...]]:
    """The functions of the rules and those that they call in the rules' modules, with the rules that use each."""
    for claim in claims():
        derivations(claim.id)
    modules = frozenset(check.__module__ for check in RULES.values() if check.__module__.startswith("theorems."))
    found: dict[FunctionType, list[str]] = {}
    for name in sorted(RULES):
        if RULES[name].__module__ in modules:
            for function in reached(RULES[name], modules):
                found.setdefault(function, []).append(name)
    return {function: tuple(names) for function, names in found.items()}


def engine_functions() -> list[FunctionType]:
    """The functions of the engine: contraction, increments and cumulants, closed sums, exchangeable moments, words."""
    found = {plain(vars(Process)[name]): None for name in KERNEL}
    for module in (wick, increments, sums, exchangeable, words):
        for value in vars(module).values():
            if getattr(value, "__module__", "") != module.__name__ or not callable(value):
                continue
            written = methods(value) if isinstance(value, type) else [plain(value)]
            # what a dataclass adds has no source
            found |= dict.fromkeys(f for f in written if f.__code__.co_filename == module.__file__)
    return list(found)


def rule_mutants() -> list[CodeMutant]:
    """Every mutant of every rule's code."""
    return [mutant for function in rule_functions() for mutant in code_mutants(function)]


def engine_mutants() -> list[CodeMutant]:
    """Every mutant of the engine's code."""
    return [mutant for function in engine_functions() for mutant in code_mutants(function)]


@functools.cache
def _together(rules: tuple[str, ...]) -> Probes:
    found = [probes(rule) for rule in rules]
    if len(found) == 1:
        return found[0]
    own_true = [step for p in found for step in p.true[: p.own_true]]
    own_false = [step for p in found for step in p.copies[: p.own_false]]
    true = in_turn([(k, f"{n:04}", step) for k, p in enumerate(found) for n, step in enumerate(p.true[p.own_true :])])
    copies = in_turn(
        [(k, f"{n:04}", step) for k, p in enumerate(found) for n, step in enumerate(p.copies[p.own_false :])]
    )
    return Probes((*own_true, *true[:TRUE]), (*own_false, *copies[:COPIES]), len(own_true), len(own_false))


def judged_rule(mutant: CodeMutant, found: Probes | None = None) -> Verdict:
    """What becomes of a rule's mutant: ("caught", how) or ("survived", why)."""
    asked = _together(rule_functions()[mutant.function]) if found is None else found
    if not asked.true:
        return "survived", "no shipped derivation uses the rule"
    return _tried(mutant, asked)


def _tried(mutant: CodeMutant, asked: Probes, derived: Sequence[str] = ()) -> Verdict:
    try:
        # the time is over before the original comes back, so that nothing interrupts that
        with mutated(mutant), within(SECONDS):
            if not all(licensed(step) for step in asked.true):
                return "caught", "refuses a true step"
            found = _derived_again(derived)
    except TooLong:
        return "caught", "timed out"
    except Exception as error:
        # the original answers every probe
        return "caught", f"raised {type(error).__name__}"
    return found or _falsely(mutant, asked) or ("survived", "no probe tells it from the original")


def _falsely(mutant: CodeMutant, asked: Probes) -> Verdict | None:
    """A copy that the original refuses and the mutant does not."""
    place = 0
    while True:
        with mutated(mutant):
            found = asked.suspicious(place)
        if found is None:
            return None
        if asked.refused(found[0]):
            return "caught", found[1]
        place = found[0] + 1


def judged_engine(mutant: CodeMutant) -> Verdict:
    """What becomes of the engine's mutant: ("caught", how) or ("survived", why)."""
    _computed_before()
    for claim in DERIVED:
        for second in (False, True):
            _known(claim, second)
    return _tried(mutant, _together(ENGINE_RULES), DERIVED)


@functools.cache
def _known(claim: str, second: bool) -> tuple[str, str]:
    derived = derivations(claim, second)
    assert derived is not None
    return _told(claim, derived)


def _told(claim: str, derived: Derived) -> tuple[str, str]:
    """The kernel's status of a claim, and the derived values."""
    statement = next(c for c in claims() if c.id == claim)
    values = {name: str(derived.ratio(name)) for name in derived.quantities if derived.known(name)}
    return settle(statement, derived).status, str(values)


def _computed() -> list[str]:
    """Covariances and variances by both ways of the engine, sums over tokens, and whether every step to them holds."""
    found = []
    for kind in (Process, SecondRoute):
        for kernel in (KERNELS["mean"], _DRIFT):
            walk = kind(kernel, chain_of(("i", "T")), symmetric=False)
            found += [f"{moment.kind}: {moment}" for moment in _moments(walk)]
            found.append(str(all(licensed(step) for step in walk.steps)))
            found += [str(moment) for moment in _products(walk)]
            found += _at_the_edge(walk)
        found.append(str(_loop(kind(KERNELS["zero"], chain_of(("i", "T")), symmetric=False))))
    size = symbol("n")
    found += [str(close_sum(size**power, size, sp.Integer(-2), sp.Integer(9))) for power in range(8)]
    found += [str(sums.power_sum(power)) for power in range(4)]
    for body in (1 / size, 2**size):
        try:
            found.append(str(close_sum(body, size, sp.Integer(1), sp.Integer(3))))
        except ValueError as error:
            found.append(f"refused: {error}")
    return [*found, *_words(), *_weighted()]


def _words() -> Iterator[str]:
    """Trace and chain words at small matrices."""
    w, turned, none = words.Letter("W", False, False), words.Letter("W", True, False), words.Letter("")
    rows = {"W": [[1, 2], [-3, 5]], "Sigma": [[2, 1], [1, 3]]}
    ends = {"a": [1, -2], "b": [3, 7]}
    exact = {name: [[Fraction(entry, 2) for entry in row] for row in matrix] for name, matrix in rows.items()}
    vectors = {name: [Fraction(entry, 3) for entry in vector] for name, vector in ends.items()}
    for word in (
        *(words.cycle(letters) for letters in ((w,), (none,), (w, turned), (w, w, turned))),
        *(words.chain("a", letters, "b") for letters in ((w,), (none,), (turned, w), (w, none, w))),
    ):
        yield str(words.Products(exact, exact["Sigma"], vectors).value(word))
    yield from _products_of(w, turned)
    yield from (str(words.known(name)) for name in ("tr4", "xx2", "trx", "trx5", "tr0", "q"))
    # a word that nothing has met
    power = next(_POWERS)
    long = words.known(f"tr{power}")
    yield str(long is not None and len(long.letters) - power)
    # the identity is its own transpose, in a process of matrices that are not symmetric too
    yield from (str(letter.flipped()) for letter in (none, words.Letter("", symmetric=False)))


def _products_of(w: words.Letter, turned: words.Letter) -> Iterator[str]:
    """Longer words of two letters under two Sigmas, the products that were made for them, and rows of two lengths."""
    a = words.Letter("A", False, False)
    third = {"W": [[1, 2], [-3, 5]], "A": [[2, -1], [7, 4]], "Sigma": [[2, 1], [1, 3]], "I": [[3, 0], [0, 3]]}
    exact = {name: [[Fraction(entry, 3) for entry in row] for row in matrix] for name, matrix in third.items()}
    for sigma in ("Sigma", "I"):
        made = words.Products(exact, exact[sigma], {})
        for letters in ((w, a, turned), (w, a, w, turned, a), (w,) * 8):
            yield str(made.value(words.cycle(letters)))
        yield f"{made.plain}, {len(made._made)} products, {made._product((w, a))}"
    try:
        yield str(words.Products({"W": [[Fraction(1), Fraction(2)], [Fraction(3)]]}, exact["I"], {})._product((w,)))
    except ValueError as error:
        yield str(error)


def _weighted() -> Iterator[str]:
    """Second moments of weighted means of exchangeable tokens."""
    one = exchangeable.Weighted(((sp.Integer(2), ("W",), "u"), (symbol("c"), (), "v")))
    two = exchangeable.Weighted(((sp.Integer(3), ("Wt", "W"), "v"),))
    products = {("u", "v"): symbol("p"), ("v", "v"): symbol("q")}
    yield str(exchangeable.weighted_moment(one, two, products))


def _moments(walk: Process) -> Iterator[Moment]:
    i, last = walk.positions
    form = walk.form(i, W, last)
    yield walk.cov(form, walk.inner("a", i))
    yield walk.cov(form, walk.form(last, W, walk.tokens(i, last)))
    yield walk.variance(walk.form(walk.tokens(upto=i), W, "b"))
    yield walk.sum(lambda j: walk.expect(walk.form(j, W, j) ** 2), upto=i)


def _products(walk: Process) -> Iterator[Moment]:
    """Products of forms that are chains between fixed vectors, at one end or at both, or have them beside a loop."""
    i, last = walk.positions
    late, other = walk.tokens(i, last), Matrix("A")
    yield walk.expect(walk.form("a", W, i) * walk.form(last, other, i) * walk.form(late, W, "b"))
    yield walk.expect(walk.form(i, W, "a") * walk.form("b", other, last) * walk.inner("a", "b"))
    yield walk.expect(walk.form("a", W, i) * walk.inner(last, late))
    yield walk.expect(walk.form(walk.tokens(), W, "b") * walk.form(i, W, i))


def _loop(walk: Process) -> Moment:
    """Three forms, which close to a long loop too."""
    i, last = walk.positions
    other = Matrix("A")
    return walk.expect(walk.form(i, W, last) * walk.form(i, other, last) * walk.form(last, (W, other), i))


def _at_the_edge(walk: Process) -> Iterator[str]:
    """Fixed vectors, which have no covariance and no mean of this kind, and as many factors as are allowed."""
    fixed, token = Vector(fixed="a"), walk.token("i")
    forms = walk.form("i", W, "T").terms[0].forms * 2
    asked: tuple[Callable[[], object], ...] = (
        *(lambda: walk.covariance(fixed, token), lambda: walk.covariance(token, fixed)),
        *(lambda: walk.mean(fixed), lambda: walk.mean(token)),
        *(lambda: wick.contract(forms, True, 3), lambda: len(wick.contract(forms, True, 4)[1])),
    )
    for question in asked:
        try:
            yield str(question())
        except (TypeError, ValueError) as error:
            yield f"refused: {error}"


@functools.cache
def _computed_before() -> list[str]:
    return _computed()


def _derived_again(derived: Sequence[str]) -> Verdict | None:
    if derived and _computed() != _computed_before():
        return "caught", "another value"
    for claim in derived:
        statement = next(c for c in claims() if c.id == claim)
        for second in (False, True):
            status, values = _told(claim, Pair(statement, second).derived())
            known = _known(claim, second)
            if status != known[0]:
                return "caught", "derivation not supported" if status == "undecided" else "another verdict"
            if values != known[1]:
                return "caught", "another value"
    return None
