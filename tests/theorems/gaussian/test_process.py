"""The process: covariances and means of stretches of tokens, sums with min(i, j) inside, and the model's swap."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement

import pytest
import sympy as sp

from tests.theorems.bruteforce import Family, bilinear, eye, line, minimum, number, one, rows, same_token, walk, words
from theorems.algebra.expressions import symbol
from theorems.algebra.ratio import Ratio
from theorems.gaussian.moments.increments import SecondRoute
from theorems.gaussian.moments.recompute import recomputed
from theorems.gaussian.observables import IDENTITY, Observable, Vector, W
from theorems.gaussian.process import KERNELS, Kernel, Moment, Position, Process, Step, process, random_walk
from theorems.rules import licensed

i, j, T, lam = Position("i"), Position("j"), Position("T"), Ratio.of("lam")

#: A custom model: the integral of Brownian motion, K(s, t) = s^2 (3t - s)/6 for s <= t.
INTEGRATED = Kernel(
    "integrated walk",
    Ratio.of("s") ** 2 * (3 * Ratio.of("t") - Ratio.of("s")) * Fraction(1, 6),
    Ratio.of("s") ** 3 * Fraction(1, 3),
)
#: A discontinuous one: a walk seen through white noise.
NOISY = Kernel("noisy walk", Ratio.of("s"), Ratio.of("s") + 1)


def label(kernel: str | Kernel) -> str:
    return kernel if isinstance(kernel, str) else kernel.name


def scalar(kernel: str | Kernel, s: int, t: int) -> Fraction:
    """K(s, t) by its definition."""
    low, high = min(s, t), max(s, t)
    if kernel is INTEGRATED:
        return Fraction(low * low * (3 * high - low), 6)
    if kernel is NOISY:
        return Fraction(low + (s == t))
    assert isinstance(kernel, str)
    return {
        "sigma": Fraction(low),
        "zero": Fraction(low - 1),
        "mean": Fraction(low - 1),
        "iid": Fraction(int(s == t)),
        "line": Fraction(s * t),
    }[kernel]


def members(vector: Vector, at: dict[str, int]) -> list[tuple[Fraction, int]]:
    """The weights of the tokens of a vector at given positions."""
    found = []
    for coefficient, atom in vector.parts:
        weight = number(coefficient.expr, dict(at))
        places = [0 if name == "0" else at[name] for name in atom[1:]]
        tokens = [places[0]] if atom[0] == "at" else range(places[0] + 1, places[1] + 1)
        found += [(weight, t) for t in tokens]
    return found


@pytest.mark.parametrize("kernel", ["sigma", "zero", "mean", "iid", "line", INTEGRATED, NOISY], ids=label)
def test_covariances_of_stretches_are_double_sums(kernel: str | Kernel) -> None:
    """Every pair of tokens and stretches, at every i < j < T <= 5 (and i <= j <= T where the kernel is continuous)."""
    source = process(kernel, ["i", "j", "T"])
    x = source.token
    ends = [x(i), x(j), x(T), source.tokens(), source.tokens(upto=i), source.tokens(above=i), source.tokens(i, j)]
    ends += [source.tokens(j, T), x(i) / "T" - source.tokens() / (Ratio.of("T") ** 2), x(j) * 3 - x(T)]
    places = [p for p in combinations_with_replacement(range(1, 6), 3) if source.kernel.continuous or len(set(p)) == 3]
    assert len(places) >= 10
    for u, v in combinations_with_replacement(ends, 2):
        closed = source.covariance(u, v).expr
        for p in places:
            at = dict(zip("ijT", p, strict=True))
            wanted = sum(
                (a * b * scalar(kernel, s, t) for a, s in members(u, at) for b, t in members(v, at)), Fraction(0)
            )
            assert number(closed, dict(at)) == wanted, (str(u), str(v), at)


def test_continuity_is_seen() -> None:
    assert [name for name in KERNELS if not KERNELS[name].continuous] == ["iid"]
    assert INTEGRATED.continuous
    assert not NOISY.continuous


def test_mean_of_a_stretch() -> None:
    source = random_walk("i", "T", start="mean")
    assert source.mean(source.token(i)) == 1
    assert source.mean(source.tokens(above=i) - source.token(T) * 2) == Ratio.of("T") - "i" - 2
    assert random_walk("i").mean(random_walk("i").token(i)) == 0


@pytest.mark.parametrize("kind", [Process, SecondRoute])
@pytest.mark.parametrize("start", ["sigma", "mean"])
def test_a_fixed_vector_has_no_covariance_and_no_mean(kind: type[Process], start: str) -> None:
    """E[a] = a is no multiple of m: a 0 here would be false, and so would a law built on it."""
    source = kind(KERNELS[start], ("0", "i", "T"))
    fixed, other = Vector(fixed="a"), Vector(fixed="b")
    for one_end, two_end in ((fixed, source.token(i)), (source.token(i), fixed), (fixed, other)):
        with pytest.raises(TypeError, match="the fixed vector a has no covariance and no mean; expected tokens"):
            source.covariance(one_end, two_end)
    with pytest.raises(TypeError, match="the fixed vector a has no covariance and no mean; expected tokens"):
        source.mean(fixed)


def test_a_form_between_fixed_vectors_is_no_random_one() -> None:
    """a^T W b is one number, whose law is not symmetric; nor is there a covariance that tends to anything."""
    source, half = random_walk("i", "T"), sp.Rational(1, 2)
    fixed, other, regime = Vector(fixed="a"), Vector(fixed="b"), {"i": "theta*T"}
    for left, right in ((fixed, other), (fixed, source.token(T)), (source.token(i), other)):
        assert not licensed(Step("independent-ends", "", (source, left, right, regime, half)))
        assert not licensed(Step("limit-kernel", "", (source, left, right, regime, 1, sp.Integer(0))))
    # two tokens that are independent there
    apart = source.token(T) - source.token(i) * 2
    assert licensed(Step("independent-ends", "", (source, apart / "T", source.token(T), regime, half)))
    assert licensed(Step("limit-kernel", "", (source, apart, source.token(i), regime, 1, -symbol("theta"))))


def test_the_mean_of_a_walk_with_drift() -> None:
    """c(t) = t: the mean of a token depends on its place, that of a stretch is the sum over it."""
    source = process(Kernel("drift", Ratio.of("s"), Ratio.of("s"), Ratio.of("t")), ["i", "T"])
    assert source.mean(source.token(i)) == "i"
    assert source.mean(source.tokens(i, T) * 2) == Ratio.of("T") * (Ratio.of("T") + 1) - Ratio.of("i") * (i + 1)
    assert source.mean(source.tokens()) == Ratio.of("T") * (Ratio.of("T") + 1) / 2


def test_hand_computed_values() -> None:
    source = random_walk("i", "j", "T")
    assert source.expect(source.form(i, W, j)).ratio == Ratio.of("i") * "tr1"
    assert source.expect(source.inner(j, j)).ratio == Ratio.of("j") * "tr_I"
    assert source.expect(source.form(i, W, i) ** 2).ratio == Ratio.of("i") ** 2 * (
        Ratio.of("tr1") ** 2 + 2 * Ratio.of("tr2")
    )
    assert source.variance(source.form(i, W, i)).ratio == 2 * Ratio.of("i") ** 2 * "tr2"
    # x_i and x_j - x_i are independent
    assert source.expect(source.form(source.token(j) - source.token(i), W, i)).ratio == 0
    assert source.cov(source.form(i, W, i), source.form(j, W, j)).ratio == 2 * Ratio.of("i") ** 2 * "tr2"
    assert source.expect(source.form("a", W, i) * source.form("b", W, j)).ratio == Ratio.of("i") * "aWSWb"
    assert source.expect(3).ratio == 3
    plain = random_walk("i", symmetric=False)
    square = plain.variance(plain.form(i, W, i)).ratio
    assert square == Ratio.of("i") ** 2 * (Ratio.of("tr2") + "tr_W_Wt")
    started = random_walk("i", start="mean")
    assert started.expect(started.form(i, W, i)).ratio == (Ratio.of("i") - 1) * "tr1" + "mWm"


@pytest.mark.parametrize("kernel", ["sigma", "zero", "mean", "line", INTEGRATED], ids=label)
def test_sums_over_tokens_close_exactly(kernel: str | Kernel) -> None:
    """sum_j E[x_i^T W x_j x_j^T W x_T] over j <= i, i < j <= T, j < i and all pairs j < k, against sums of scalars."""
    matrix, m = rows((2,)), [Fraction(3)]
    c = one if kernel == "mean" else (lambda t: 0)
    family = Family(lambda s, t: scalar(kernel, s, t), rows((1,)), c, m)  # type: ignore[arg-type, return-value]
    source = process(kernel, ["i", "T"])

    def body(k: Position) -> Moment:
        return source.expect(source.form(i, W, k) * source.form(k, W, T))

    early, late, before = source.sum(body, upto=i), source.sum(body, above=i, upto=T), source.sum(body, below=i)
    with source.over_all(i):
        pairs = source.sum(lambda k: source.sum(lambda h: source.expect(source.form(h, W, k)), below=k), upto=T)
    table = words(matrix, rows((1,)), m)
    for length in range(1, 6):
        for place in range(1, length + 1):
            at = {"i": place, "T": length, **table}

            def term(k: int, place: int = place, length: int = length) -> Fraction:
                return family.forms((place, matrix, k), (k, matrix, length))

            assert number(early.ratio.expr, at) == sum((term(k) for k in range(1, place + 1)), Fraction(0))
            assert number(late.ratio.expr, at) == sum((term(k) for k in range(place + 1, length + 1)), Fraction(0))
            assert number(before.ratio.expr, at) == sum((term(k) for k in range(1, place)), Fraction(0))
            wanted = sum((family.forms((h, matrix, k)) for k in range(1, length + 1) for h in range(1, k)), Fraction(0))
            assert number(pairs.ratio.expr, at) == wanted


def test_every_step_is_recorded_and_licensed() -> None:
    source = random_walk("i", "T")
    source.sum(lambda k: source.expect(source.form(k, W, T) ** 2), above=i, upto=T)
    source.variance(source.form(source.tokens(), W, T))
    assert {step.rule for step in source.steps} == {"isserlis", "faulhaber", "identity"}
    assert all(licensed(step) for step in source.steps)
    assert "E[(x_i)^T W (x_T)] = i*tr1" in [s.text for s in source_steps()]


def source_steps() -> list[Step]:
    source = random_walk("i", "T")
    source.expect(source.form(i, W, T))
    return source.steps


def test_moments_do_arithmetic() -> None:
    source = random_walk("i", "T")
    one_form = source.form(i, W, T)
    mean, spread = source.expect(one_form), source.variance(one_form)
    assert (2 * mean / "T" - mean + 1 - mean).ratio == 2 * mean.ratio / "T" - 2 * mean.ratio + 1
    assert (-mean).observable is not None
    both = mean + mean
    assert both.observable is not None
    assert source.expect(both.observable).ratio == both.ratio
    # a multiple of a variance is the variance of no observable that is known here
    assert (spread * 2).observable is None
    assert (mean * mean).observable is None
    assert (spread + mean).observable is None


#: All kernels, and two names that are taken elsewhere; every name with every kernel is left to ``make test-slow``.
NAMED = [("t", kernel) for kernel in ("sigma", "zero", "mean", "iid", "line", INTEGRATED)]
NAMED += [(name, kernel) for name in ("a", "lam1") for kernel in ("sigma", INTEGRATED)]
ALL_NAMED = [(name, kernel) for name in ("t", "a", "lam1", "s", "b", "k", "m", "x") for _, kernel in NAMED[:6]]


@pytest.mark.parametrize(
    ("name", "kernel"),
    [pytest.param(*pair, marks=[] if pair in NAMED else [pytest.mark.slow]) for pair in ALL_NAMED],
    ids=lambda value: value if isinstance(value, str) else label(value),
)
def test_a_position_may_have_any_name(name: str, kernel: str | Kernel) -> None:
    """The moments with a position of that name are those of i and T with the names put in."""
    for chain in ((name, "T"), ("i", name), ("t", "s") if name == "t" else (name, "s")):
        if len(set(chain)) < 2:
            continue
        values = []
        for names in (("i", "T"), chain):
            source = process(kernel, names)
            first, last = source.positions
            before, after = source.tokens(upto=first), source.tokens(first, last)
            whole = source.form(first, W, last) * source.form(before + after * 2, W, last) + source.form("w", W, first)
            early = source.sum(lambda h, s=source, e=last: s.expect(s.form(h, W, e) ** 2), upto=first)  # type: ignore[misc]
            late = source.sum(lambda h, s=source: s.expect(s.form(h, W, h)), above=first, upto=last)  # type: ignore[misc]
            moments = (source.expect(whole), source.variance(source.form(after, W, first)), early, late)
            values.append([moment.ratio for moment in moments])
            assert all(licensed(step) for step in source.steps)
        plain, named = values
        for one_value, other in zip(plain, named, strict=True):
            moved = one_value.substitute("i", "first_").substitute("T", "last_")
            assert moved.substitute("first_", chain[0]).substitute("last_", chain[1]) == other


def test_two_positions_called_s_and_t_are_not_mixed_up() -> None:
    for names in (("s", "t"), ("t", "s"), ("a", "b"), ("b", "a")):
        source = random_walk(*names)
        first, last = source.positions
        assert source.expect(source.form(last, W, first)).ratio == Ratio.of(names[0]) * "tr1"
        assert source.expect(source.form(source.tokens(first, last), W, last)).ratio == (
            (Ratio.of(names[1]) - names[0]) * (Ratio.of(names[1]) + names[0] + 1) / 2 * "tr1"
        )
        # as the name of an end, a position is the token there
        assert source.form(names[0], W, names[1]) == source.form(first, W, last)


@pytest.mark.parametrize("names", [("",), ("_a",), ("1",), ("i j",), ("i", "i"), ("0",), ("i-1",)])
def test_a_position_that_has_no_name_is_refused(names: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="position"):
        random_walk(*names)
    with pytest.raises(ValueError, match="position"):
        process("iid", names)


def test_a_stretch_that_runs_backwards_is_refused() -> None:
    source = random_walk("i", "T")
    for above, upto in ((T, i), (i, i), (T, T)):
        with pytest.raises(ValueError, match="does not come after"):
            source.tokens(above, upto)


@pytest.mark.parametrize("kernel", ["iid", NOISY], ids=label)
def test_sums_of_a_discontinuous_kernel_include_the_diagonal(kernel: str | Kernel) -> None:
    """sum over i < j <= T of E[x_j^T W x_T], and of its square, whose term at j = T is another one."""
    source = process(kernel, ["i", "T"])
    plain = source.sum(lambda j: source.expect(source.form(j, W, T)), above=i, upto=T)
    square = source.sum(lambda j: source.expect(source.form(j, W, T) ** 2), above=i, upto=T)
    strict = source.sum(lambda j: source.expect(source.form(j, W, T)), above=i, below=T)
    head = source.sum(lambda j: source.expect(source.form(j, W, i)), upto=i)
    if kernel == "iid":
        assert plain.ratio == "tr1"
        assert strict.ratio == 0
        assert head.ratio == "tr1"
        assert square.ratio == Ratio.of("tr1") ** 2 + (Ratio.of("T") - "i" + 1) * "tr2"
    matrix = rows((2,))
    family = Family(lambda s, t: scalar(kernel, s, t), rows((1,)))  # type: ignore[arg-type, return-value]
    for length in range(2, 6):
        for place in range(1, length):
            at = {"i": place, "T": length, **words(matrix, rows((1,)))}
            late = range(place + 1, length + 1)
            one_each = [family.forms((k, matrix, length)) for k in late]
            assert number(plain.ratio.expr, at) == sum(one_each, Fraction(0))
            assert number(strict.ratio.expr, at) == sum(one_each[:-1], Fraction(0))
            twice = [family.forms((k, matrix, length), (k, matrix, length)) for k in late]
            assert number(square.ratio.expr, at) == sum(twice, Fraction(0))
            first = sum((family.forms((k, matrix, place)) for k in range(1, place + 1)), Fraction(0))
            assert number(head.ratio.expr, at) == first
    assert recomputed(plain) == plain.ratio
    assert recomputed(square) == square.ratio
    assert all(licensed(step) for step in source.steps)


def test_a_sum_of_variances_is_the_moment_of_no_observable() -> None:
    source = random_walk("i", "T")
    summed = source.sum(lambda j: source.variance(source.form(j, W, j)), upto=i)
    assert summed.observable is None
    assert summed.ratio == Ratio.of("i") * (Ratio.of("i") + 1) * (2 * Ratio.of("i") + 1) * "tr2" / 3


def test_arithmetic_from_the_left_keeps_what_is_averaged() -> None:
    source = random_walk("i", "T")
    f = source.form(i, W, T)
    mean = source.expect(f)
    cases = [
        (1 - mean, 1 - Ratio.of("i") * "tr1"),
        (lam - mean, lam - Ratio.of("i") * "tr1"),
        (lam * mean, lam * "i" * "tr1"),
        (mean * lam, lam * "i" * "tr1"),
        (i * mean, Ratio.of("i") ** 2 * "tr1"),
        (lam + mean, lam + Ratio.of("i") * "tr1"),
        (Fraction(1, 2) * mean, Ratio.of("i") * "tr1" / 2),
        (i / T * mean, Ratio.of("i") ** 2 / "T" * "tr1"),
    ]
    for found, wanted in cases:
        assert isinstance(found, Moment)
        assert found.ratio == wanted
        # what a simulation would average has that mean
        assert found.observable is not None
        assert source.expect(found.observable).ratio == wanted
        assert recomputed(found) == wanted
    for form, wanted in (
        (lam * f, lam),
        (i * f, Ratio.of("i")),
        (i / T * f, Ratio.of("i") / "T"),
        (2 * f, Ratio.of(2)),
    ):
        assert isinstance(form, Observable)
        assert source.expect(form).ratio == wanted * "i" * "tr1"
    assert source.expect(lam - f).ratio == lam - Ratio.of("i") * "tr1"
    assert isinstance(lam * source.token(i), Vector)
    assert source.expect(source.form(i * source.token(i), W, T)).ratio == Ratio.of("i") ** 2 * "tr1"


def test_arithmetic_of_positions() -> None:
    one_i, one_T = Ratio.of("i"), Ratio.of("T")
    pairs = [(1 - i, 1 - one_i), (i / T, one_i / one_T), (1 / T, 1 / one_T), (-i, -one_i), (lam / T, lam / one_T)]
    pairs += [(i - T, one_i - one_T), (T - 1, one_T - 1), (2 * i, 2 * one_i), (i * T, one_i * one_T), (i**2, one_i**2)]
    pairs += [(lam - i, lam - one_i), (i + lam, one_i + lam), (i / 2, one_i / 2), (3 + i, one_i + 3)]
    for found, wanted in pairs:
        assert isinstance(found, Ratio)
        assert found == wanted


def test_wrong_uses_are_named() -> None:
    source = random_walk("i", "T")
    with pytest.raises(ValueError, match="position 'j' is not in the order i <= T"):
        source.token(j)
    with pytest.raises(ValueError, match="position 'j' is not in the order i <= T"):
        source.tokens(above=j)
    with pytest.raises(ValueError, match="not neighbours in 0 <= i <= T; split the sum"):
        source.sum(lambda k: source.expect(source.form(k, W, T)), upto=T)
    with pytest.raises(TypeError, match=r"3\.5 is no end of a form"):
        source.form(3.5, IDENTITY, i)
    summed = source.sum(lambda k: source.expect(source.form(k, W, T)), upto=i)
    assert summed.observable is not None
    with pytest.raises(ValueError, match="summed inside the expectation"):
        source.expect(summed.observable)
    assert source.chain == ("0", "i", "T")


def test_the_order_is_restored_after_an_error() -> None:
    source = random_walk("i", "T")
    with pytest.raises(ZeroDivisionError):
        source.sum(lambda k: source.expect(1 / 0), upto=i)
    assert source.chain == ("0", "i", "T")


def test_kernels_by_their_definitions() -> None:
    definitions = {"sigma": minimum, "iid": same_token, "line": line}
    for name, K in definitions.items():
        kernel = KERNELS[name]
        for s in range(1, 5):
            for t in range(s, 5):
                value = kernel.diagonal if s == t else kernel.below
                assert number(value.expr, {"s": s, "t": t}) == K(s, t)
    assert isinstance(process("sigma", ["i"]), Process)
    sigma, m = rows((2, 1), (1, 1)), [Fraction(1), Fraction(-2)]
    started = walk("mean", sigma, m)
    assert started.forms((1, eye(2), 1)) == bilinear(m, eye(2), m)
    assert walk("zero", sigma).forms((1, eye(2), 3)) == 0
    assert walk("sigma", sigma).forms((2, eye(2), 3)) == 6
