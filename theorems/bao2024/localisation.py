"""Where attention localises: rho and its ingredients (Section 4), Lemma 2 and the steps of its proof."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import cache

import flint
import sympy as sp

from theorems.algebra.closed import names, substituted
from theorems.algebra.expressions import symbol
from theorems.algebra.ratio import Ratio
from theorems.bao2024.lemma1 import score
from theorems.bao2024.softmax import gamma, taylor
from theorems.gaussian.cells import Cell, Law, Limit, Pattern, patterned
from theorems.gaussian.process import Moment, Position, Process, Step, chain_of, random_walk
from theorems.kernel.derivation import Expected, Fact, Inequality, SharpBound, derivation, fact

REGIME = {"i": "theta*T"}
theta, xi, eta, r, x, u = (symbol(name) for name in ("theta", "xi", "eta", "r", "x", "u"))
HALF = sp.Rational(1, 2)
#: The traces of W in units of xi = tr(W)/sqrt(tr(W^2)) and eta = sqrt(tr(W^2))/lambda.
UNITS = {"tr1": xi * eta * symbol("lam"), "tr2": (eta * symbol("lam")) ** 2}

#: Length of the walks that the exact law is computed for at a case.
LENGTH = 32


def between(mean: sp.Expr, variance: sp.Expr) -> tuple[sp.Expr, Step]:
    """P(0 <= N(mean, variance) <= 1) by a primitive of the density, and the step that shows it."""
    primitive = sp.erf((x - mean) / sp.sqrt(2 * variance)) / 2
    value = primitive.xreplace({x: sp.Integer(1)}) - primitive.xreplace({x: sp.Integer(0)})
    words = "P({2} <= N({0}, {1}) <= {3}) = {5}, by the primitive {4}"
    return value, Step("normal-interval", words, (mean, variance, sp.Integer(0), sp.Integer(1), primitive, value))


@derivation("bao2024.sec4.gaussian-rho")
def gaussian_rho() -> Expected:
    """P(0 <= N(mu, v) <= 1) for symbolic mu and v > 0."""
    value, step = between(symbol("mu"), symbol("v"))
    return Expected(value, value, (step,), "integration of the normal density")


def limits(source: Process | None = None) -> tuple[sp.Expr, sp.Expr, tuple[Step, ...]]:
    """Limits of mean and variance of the score as i/T -> theta, in units of xi eta and eta^2, and the steps.

    With tr(W)/lambda = xi eta and tr(W^2)/lambda^2 = eta^2, which the claim says. ``source`` is a process of another
    kernel.
    """
    return _paper_limits() if source is None else _limits(source)


@cache
def _paper_limits() -> tuple[sp.Expr, sp.Expr, tuple[Step, ...]]:
    return _limits(random_walk("i", "T"))


def _limits(source: Process) -> tuple[sp.Expr, sp.Expr, tuple[Step, ...]]:
    walk = Process(source.kernel, chain_of(("i", "T")))
    i, T = walk.positions
    full = score(walk, i, T, Ratio.of("lam"))
    mean, variance = walk.expect(full), walk.variance(full)
    steps = list(walk.steps)
    found = []
    for name, moment in (("mean", mean), ("variance", variance)):
        last = in_the_limit(moment)
        value = last.data[2]
        units = {n: v for n, v in UNITS.items() if n in names(value)}
        found.append(sp.expand(substituted(value, units)))
        steps += [last, Step("substitution", name + ": {0} = {2}", (value, units, found[-1]))]
    return found[0], found[1], tuple(steps)


def in_the_limit(moment: Moment) -> Step:
    """The step to a moment's limit as i/T -> theta."""
    value = moment.limit(**REGIME).limit.expr
    return Step("moment-limit", "as T -> infinity, i/T -> theta: {2}", (moment, REGIME, value))


def probability(mean: sp.Expr, variance: sp.Expr) -> tuple[sp.Expr, tuple[Step, ...]]:
    """rho = P(0 <= N(mean, variance) <= 1) with the common factor eta cancelled: (erf(z_1) - erf(z_2))/2."""
    radicand = sp.expand(2 * variance / eta**2)
    first = sp.expand(mean / eta) / sp.sqrt(radicand)
    second = (sp.expand(mean / eta) - 1 / eta) / sp.sqrt(radicand)
    value = sp.erf(first) / 2 - sp.erf(second) / 2
    general, whole = between(mean, eta**2 * sp.expand(variance / eta**2))
    shown = Step("positive-root", "sqrt(eta^2) = eta: {0} = {1}", (general, value, "eta"))
    return value, (whole, shown)


@derivation("bao2024.sec4.eq6")
def eq6(walk: Process, i: Position, T: Position) -> dict[str, Moment | Fact]:
    """Mean and variance of the score at lambda = 1, and rho(theta) with their limits."""
    form = score(walk, i, T, Ratio.of(1)) + taylor()["offset"].ratio
    mean, variance, steps = limits(walk)
    value, more = probability(mean, variance)
    return {
        "variance": walk.variance(form),
        "mean": walk.expect(form),
        "rho": Fact(_closed(value), (*steps, *more), ""),
    }


def _closed(value: sp.Expr) -> Ratio:
    return fact(value, (), "").ratio


@derivation("bao2024.sec4.xi-eta-range")
def xi_eta_range() -> SharpBound:
    """|xi| <= sqrt(d) by Cauchy-Schwarz for M = R W_QK R, and every pair (x, e) from a spectrum with tr2 = 1.

    lambda = sqrt(tr2)/e then gives eta = e, whatever xi is. For d = 1 there is one eigenvalue w and xi = w/|w|.
    """
    d, tr1, tr2 = symbol("d"), symbol("tr1"), symbol("tr2")
    root = {"Sigma": ("R", "R")}
    inner = ("R", "W_QK", "R")
    side = sp.sqrt((1 - x**2 / d) / 2)
    spectrum = ((x / d + side, sp.Integer(1)), (x / d - side, sp.Integer(1)), (x / d, d - 2))
    steps = (
        Step("psd-root", "Sigma = R R with R symmetric", ("Sigma", "R")),
        Step("trace-identity", "tr(W_QK Sigma) = tr(M), M = R W_QK R", (("W_QK", "Sigma"), inner, root)),
        Step("cauchy-schwarz", "tr(M)^2 <= tr(I) tr(M^T M): {2} <= {3}", ((), inner, tr1**2, d * tr2, root)),
        Step("square-root", "-sqrt({1}) <= {0} <= sqrt({1})", (tr1, d * tr2)),
        Step("quotient", "xi = {0}/sqrt({2}), so xi^2 <= {3}", (tr1, d * tr2, tr2, d)),
        Step(
            "realised-spectrum",
            "every x with x^2 <= {2} is reached, with tr2 = 1, for d >= {3}: (eigenvalue, multiplicity) = {0}; "
            "then lambda = 1/e gives eta = e, for every e > 0",
            (spectrum, x, d, 2),
        ),
    )
    unit = [["1", "0"], ["0", "1"]]
    attained = {"d": 2, "W": unit, "Sigma": unit}
    remark = "for d = 1, xi = 1 or -1 (the sign of the one eigenvalue), and eta is any positive number"
    method, free = "Cauchy-Schwarz, and a spectrum for every pair", {"eta": sp.sqrt(tr2) / symbol("lam")}
    return SharpBound(Ratio.from_expr(d), {"d": 2}, attained, steps, method, (remark,), free)


@derivation("bao2024.sec4.fig2-eta")
def fig2_eta(walk: Process, i: Position, T: Position, lam: Ratio) -> dict[str, Moment | Fact]:
    """eta from mean = (theta - 1/2) xi eta with xi = tr1/sqrt(tr2), and the variance at lambda beside that at 1."""
    tr1, tr2 = symbol("tr1"), symbol("tr2")
    moment = Process(walk.kernel, chain_of(("i", "T")))
    first, T_end = moment.positions
    last = in_the_limit(moment.expect(score(moment, first, T_end, Ratio.of("lam"))))
    limit = last.data[2]
    # mean = slope (theta - 1/2), so xi eta = slope
    slope = sp.diff(limit, theta)
    quotient = symbol("slope") / (tr1 / sp.sqrt(tr2))
    value = substituted(quotient, {"slope": slope})
    steps = (
        *moment.steps,
        last,
        Step("slope", "d/dtheta of {0}: xi eta = {2}", (limit, "theta", slope)),
        Step("substitution", "eta = (xi eta)/xi = {2}", (quotient, {"slope": slope}, value)),
    )
    full = score(walk, i, T, lam)
    reference = score(walk, i, T, Ratio.of(1))
    return {
        "eta": Fact(_closed(value), steps, "the limits of Lemma 1"),
        "variance": walk.variance(full),
        "variance_ref": walk.variance(reference),
    }


@derivation("bao2024.sec4.fig3-eta")
def fig3_eta(xi: sp.Expr, product: sp.Expr, other_xi: sp.Expr, other_product: sp.Expr) -> Fact:
    """eta = (xi eta)/xi for the curve that the text speaks of, and for the other one."""
    steps = [
        Step("substitution", "eta = {2}", (symbol(over) / symbol(under), {over: p, under: q}, p / q))
        for over, p, under, q in (
            ("other_product", other_product, "other_xi", other_xi),
            ("product", product, "xi", xi),
        )
    ]
    return fact(product / xi, steps, "division")


# -- Lemma 2

#: The pattern of signs that decides parts 1 and 2: theta - 1/2, (theta - 1/2) r - 1, |r| - 2, r.
A, B = theta - HALF, (theta - HALF) * r - 1


def _terms(mean: sp.Expr, variance: sp.Expr) -> tuple[sp.Expr, tuple[tuple[sp.Expr, str, sp.Expr], ...]]:
    """2 variance/eta^2, and the two arguments z with z = scale c/sqrt(2 variance/eta^2) as (z, scale, c)."""
    radicand = sp.expand(2 * variance / eta**2)
    slope = sp.expand(mean / (eta * xi))
    first = (sp.expand(mean / eta) / sp.sqrt(radicand), "xi", slope)
    second = ((sp.expand(mean / eta) - 1 / eta) / sp.sqrt(radicand), "1/eta", sp.expand(slope * r - 1))
    return radicand, (first, second)


def _table(side: int, mean: sp.Expr, variance: sp.Expr, exact: bool) -> tuple[tuple[Cell, ...], tuple[Step, ...]]:
    """The cells of part 1 (side = 1) or 2 (side = -1): the limits of both error functions, or by Chebyshev."""
    radicand, terms = _terms(mean, variance)
    domain = _domain(side)
    finite = probability(mean, variance)[0]
    walk = random_walk("i", "T")
    i, T = walk.positions
    form = (walk, gamma(walk, i), walk.token(T), REGIME)
    words = "at theta = {4} the ends of the form are uncorrelated in the limit, so the score's law is symmetric"
    symmetric = Step("independent-ends", words, (*form, HALF))
    cells = []
    for first, second in ((-side, -1), (0, -1), (side, -1), (side, 1)):
        pattern: Pattern = ((A, (first,)), (B, (second,)))
        value = sp.Rational(side * first - second, 2)
        if exact:
            ends = symmetric if first == 0 else None
            data: tuple[object, ...] = (*terms, radicand, pattern, domain, ends, value, form)
            words = "P(0 <= S <= 1) -> {6}, as mean/sd and (mean - 1)/sd grow without bound or vanish"
            steps: tuple[Step, ...] = (symmetric, Step("chebyshev-limit", words, data))
        else:
            data = (finite, *terms, radicand, pattern, domain, value)
            steps = (Step("erf-limit", "(erf(z_1) - erf(z_2))/2 -> {6}", data),)
        cells.append(Cell(pattern, value, steps))
    # z_2 = ((theta - 1/2) xi eta - 1)/(eta ...) with a vanishing limit of the numerator goes anywhere
    open_pattern: Pattern = ((A, (side,)), (B, (0,)))
    words = "xi eta = r + c eta makes z_2 tend to any number, by the choice of c"
    cells.append(Cell(open_pattern, None, (Step("two-sequences", words, (terms[1], radicand, open_pattern)),)))
    return tuple(cells), (symmetric,) if exact else ()


def _domain(side: int) -> tuple[sp.Expr, ...]:
    """What is >= 0 wherever part 1 or 2 speaks: theta is in [0, 1], and r has the sign of xi."""
    return (theta, 1 - theta, side * r)


def _empty(side: int) -> tuple[tuple[Pattern, tuple[tuple[int, tuple[sp.Expr, ...]], ...]], ...]:
    """Sign patterns without a point, each with the products that show it; C = 2 - |r|, R = |r|."""
    R, C = side * r, 2 - side * r
    edge = (1 - theta) if side > 0 else theta
    first: Pattern = ((A, (0, -side)), (B, (0, 1)))
    low: Pattern = ((B, (1,)), (C, (0, 1)))
    apart: Pattern = ((B, (0,)), (C, (1,)))
    return (
        # B = -|A| |r| - 1 < 0
        (first, ((1, (B,)), (1, (-side * A, R)))),
        # -B = edge |r| + (2 - |r|)/2 >= 0
        (low, ((2, (B,)), (2, (edge, R)), (1, (C,)))),
        (apart, ((2, (B,)), (2, (edge, R)), (1, (C,)))),
        (((R, (-1,)),), ((1, (-R,)), (1, (R,)))),
        # 2 - |r| = 2 for r = 0
        (((R, (0,)), (C, (-1, 0))), ((1, (-C,)), (1, (-R,)))),
    )


def _parts(side: int, mean: sp.Expr, variance: sp.Expr) -> dict[str, Limit]:
    """Part 1 or 2 for rho as defined, for rho with the derived moments, and for the exact law of the walk."""
    R, C = side * r, 2 - side * r
    domain = _domain(side)
    polynomials = (A, B, C, R)
    empty = _empty(side)
    steps = tuple(Step("empty-cell", f"no point has {patterned(p)}", (p, domain, shown)) for p, shown in empty)
    patterns = tuple(p for p, _ in empty)
    true_mean, true_variance, before = limits()
    objects = {
        "rho": (mean, variance, probability(mean, variance)[1], False),
        "rho@rho with the derived variance": (true_mean, true_variance, before, False),
        "rho@exact law, T -> infinity first": (true_mean, true_variance, before, True),
    }
    found = {}
    for name, (m, v, own, exact) in objects.items():
        cells, more = _table(side, m, v, exact)
        finite = limit_rho if exact else probability(m, v)[0]
        method = "Chebyshev's inequality and symmetry" if exact else "limits of the error function, cell by cell"
        every = (*own, *more, *steps, *(step for cell in cells for step in cell.steps))
        found[name] = Limit(finite, polynomials, cells, patterns, domain, every, method)
    return found


def _at_case(scalars: Mapping[str, Fraction], length: int = LENGTH) -> Fraction:
    """rho_i of the exact law at i = theta T, for the spectrum (size, up times; -size, down times), lambda = 1."""
    from theorems.bao2024.law import rho

    found = rho(length, *_spectrum(scalars))
    place = scalars["theta"] * length
    if place.denominator != 1 or not 1 <= place <= length:
        raise ValueError(
            f"theta = {scalars['theta']}: theta T is no token at T = {length}; take a multiple of 1/{length}"
        )
    return Fraction(float(found.values[int(place) - 1]))


def _in_the_limit(scalars: Mapping[str, Fraction]) -> Fraction:
    """rho of the law as T -> infinity at theta, for the same spectrum: what T -> infinity first leaves."""
    from theorems.bao2024.law import rho_limit

    return Fraction(float(rho_limit(float(scalars["theta"]), *_spectrum(scalars)).values[0]))


def _spectrum(scalars: Mapping[str, Fraction]) -> tuple[list[float], list[int]]:
    """The eigenvalues size and -size that occur, and how often."""
    size = float(scalars["size"])
    kept = [(w, m) for w, m in ((size, int(scalars["up"])), (-size, int(scalars["down"]))) if m]
    return [w for w, _ in kept], [m for _, m in kept]


def _far_out(scalars: Mapping[str, Fraction]) -> flint.arb:
    """rho in the limit law T -> infinity, lambda = 1, for a spectrum +-eta/n that gives xi and eta.

    n^2 eigenvalues have tr(W^2) = eta^2, and tr(W) = xi eta where (n^2 + xi n)/2 of them are positive.
    """
    from theorems.bao2024.law.certified import certified_limit

    slant, size = scalars["xi"], scalars["eta"]
    # both counts are whole numbers, and none is negative
    n = 2 * slant.denominator
    n *= max(1, math.ceil(abs(slant) / n))
    up = (n * n + slant * n) / 2
    spectrum = [(size / n, int(up)), (-size / n, int(n * n - up))]
    kept = [(w, count) for w, count in spectrum if count]
    return certified_limit(scalars["theta"], [w for w, _ in kept], [count for _, count in kept])


#: The exact law of the score at lambda = 1, at a case by its weights and far along a sequence in balls: that of walks
#: of a fixed length, and that as T -> infinity.
exact_rho, limit_rho = Law(_at_case, _far_out), Law(_in_the_limit, _far_out)


@derivation("bao2024.sec4.lemma2-1")
def lemma2_1(mean: sp.Expr, variance: sp.Expr) -> dict[str, Limit]:
    """(xi, eta) -> (infinity, 0) with xi eta -> r >= 0, for every sequence."""
    return _parts(1, mean, variance)


@derivation("bao2024.sec4.lemma2-2")
def lemma2_2(mean: sp.Expr, variance: sp.Expr) -> dict[str, Limit]:
    """(xi, eta) -> (-infinity, 0) with xi eta -> r < 0, for every sequence."""
    return _parts(-1, mean, variance)


def slope_of(mean: sp.Expr, variance: sp.Expr, second_route: bool = False) -> tuple[sp.Expr, tuple[Step, ...]]:
    """rho'(theta) = (e^{-a^2} A - e^{-b^2} (A + B))/(sqrt(pi) (2 V)^{3/2}), in this form.

    V = variance/eta^2, m = mean/eta, a = m/sqrt(2 V) and b = (m - 1/eta)/sqrt(2 V); A = 2 V m' - m V' and B = V'/eta.
    By differentiating rho in closed form or, by the second route, under the integral.
    """
    V = sp.expand(variance / eta**2)
    centre = sp.expand(mean / eta)
    tilt = sp.collect(sp.expand(2 * V * sp.diff(centre, theta) - centre * sp.diff(V, theta)), xi)
    first = sp.exp(-(centre**2) / (2 * V))
    second = sp.exp(-((centre - 1 / eta) ** 2) / (2 * V))
    factor = 1 / (sp.sqrt(sp.pi) * (2 * V) ** sp.Rational(3, 2))
    slope = (first * tilt - second * (tilt + sp.diff(V, theta) / eta)) * factor
    if second_route:
        raw = _flow(mean, V * eta**2)
        data = (mean, V * eta**2, sp.Integer(0), sp.Integer(1), "theta", raw)
        flow = Step("heat-flow", "rho'(theta) = {5}, under the integral over [{2}, {3}]", data)
        return slope, (flow, Step("positive-root", "sqrt(eta^2) = eta: rho'(theta) = {1}", (raw, slope, "eta")))
    value, steps = probability(mean, variance)
    return slope, (*steps, Step("slope", "rho'(theta) = {2}", (value, "theta", slope)))


def _flow(mean: sp.Expr, variance: sp.Expr) -> sp.Expr:
    """The slope of P(0 <= N(mean, variance) <= 1) in theta from the density's values and slopes at 0 and 1."""
    density = sp.exp(-((x - mean) ** 2) / (2 * variance)) / sp.sqrt(2 * sp.pi * variance)
    flow = -sp.diff(mean, theta) * density + sp.diff(variance, theta) * sp.diff(density, x) / 2
    return flow.xreplace({x: sp.Integer(1)}) - flow.xreplace({x: sp.Integer(0)})


@derivation("bao2024.appC.lemma2-derivative")
def lemma2_derivative(mean: sp.Expr, variance: sp.Expr, second_route: bool) -> Fact:
    """rho'(theta) of the rho that is defined by this mean and variance."""
    slope, steps = slope_of(mean, variance, second_route)
    return fact(slope, steps, "differentiation under the integral" if second_route else "differentiation")


def _flat(mean: sp.Expr, variance: sp.Expr, second_route: bool) -> Fact:
    """The limit of rho'(theta) as xi -> 0, by continuity."""
    slope, steps = slope_of(mean, variance, second_route)
    value = substituted(slope, {"xi": sp.Integer(0)})
    last = Step("continuous-limit", "as xi -> 0, rho'(theta) -> {3}", (slope, "xi", sp.Integer(0), value))
    return fact(value, (*steps, last), "continuity of rho' in xi")


@derivation("bao2024.sec4.lemma2-3")
def lemma2_3(mean: sp.Expr, variance: sp.Expr, second_route: bool) -> dict[str, Fact]:
    """The limit of rho'(theta) as xi -> 0 for fixed eta, with the defined and with the derived variance."""
    true_mean, true_variance, before = limits()
    other = _flat(true_mean, true_variance, second_route)
    return {
        "slope": _flat(mean, variance, second_route),
        "slope@rho with the derived variance": Fact(other.ratio, (*before, *other.steps), other.method),
    }


@derivation("bao2024.sec4.lemma2-4")
def lemma2_4(mean: sp.Expr, variance: sp.Expr) -> dict[str, Limit]:
    """eta -> infinity for fixed xi: rho is continuous in u = 1/eta at u = 0; the exact law has no atom at 0."""
    true_mean, true_variance, before = limits()
    found = {}
    for name, (m, v, own) in {
        "rho": (mean, variance, ()),
        "rho@rho with the derived variance": (true_mean, true_variance, before),
    }.items():
        finite, steps = probability(m, v)
        inverse = substituted(finite, {"eta": 1 / u})
        value = substituted(inverse, {"u": sp.Integer(0)})
        last = Step("continuous-limit", "as u = 1/eta -> 0, {0} -> {3}", (inverse, "u", sp.Integer(0), value))
        cell = Cell((), value, (last,))
        found[name] = Limit(finite, (), (cell,), (), (), (*own, *steps, last), "continuity in 1/eta")
    square = sp.expand(true_variance / eta**2)
    words = "P(0 <= eta Q + 1/T <= 1) -> P(Q = 0) = {1} for a quadratic form with squared weights of sum {0} != 0"
    last = Step("shrinking-interval", words, (square, sp.Integer(0)))
    found["rho@exact law, T >= 2"] = Limit(
        exact_rho, (), (Cell((), sp.Integer(0), (last,)),), (), (), (*before, last), "a law without atoms"
    )
    return found


@derivation("bao2024.sec4.a1-uniform")
def a1_uniform(walk: Process, i: Position, T: Position, lam: Ratio, second_route: bool) -> dict[str, Moment | Fact]:
    """rho'(theta) at tr(W) = 0 with the derived mean and variance; the variance at i and at the last token."""
    mean, variance, before = limits(walk)
    slope, steps = slope_of(mean, variance, second_route)
    value = substituted(slope, {"xi": sp.Integer(0)})
    last = Step("substitution", "at tr(W) = 0, xi = 0: rho'(theta) = {2}", (slope, {"xi": sp.Integer(0)}, value))
    return {
        "slope": fact(value, (*before, *steps, last), "differentiation"),
        "variance": walk.variance(score(walk, i, T, lam)),
        "variance_last": walk.variance(score(walk, T, T, lam)),
    }


@derivation("bao2024.appC.lemma2-inequality")
def lemma2_inequality() -> Inequality:
    """|e^{-a^2} X - e^{-b^2} Y| <= max(|X|, |Y|, |X - Y|): affine in two numbers of (0, 1], so largest at a corner."""
    a, b, X, Y, p, q = (symbol(name) for name in ("a", "b", "X", "Y", "p", "q"))
    table = {"p": sp.exp(-(a**2)), "q": sp.exp(-(b**2))}
    form = p * X - q * Y
    quantity = sp.Abs(substituted(form, table), evaluate=False)
    upper = sp.Max(sp.Abs(X), sp.Abs(Y), sp.Abs(X - Y))
    step = Step("vertex-maximum", "{0} <= {1}", (quantity, upper, form, table))
    points = ({"a": "0", "b": "1", "X": "1", "Y": "1"}, {"a": "0", "b": "2", "X": "1", "Y": "1"})
    return Inequality(quantity, upper, points, (step,), "convexity")


#: Where (p - q) A - q B is looked at. (p, q) is near (0, 1) where b = 0 and a is large: the bound |A| + |B| is reached
#: up to exp(-a^2). It is (1, 0) up to as little for theta = 0, where B = 0, and small eta: |A| is reached for small xi.
STEEP = tuple(
    {"theta": t, "xi": s, "eta": e}
    for t, s, e in (
        ("1/2", "1/4", "1"),
        ("1", "1/64", "4"),
        ("1", "64", "1/32"),
        ("3/4", "64", "1/16"),
        ("0", "1/8", "1/16"),
    )
)


@derivation("bao2024.appC.lemma2-final-bound")
def lemma2_final_bound(mean: sp.Expr, variance: sp.Expr) -> Inequality:
    """|rho'(theta)| <= (|A| + |B|)/(sqrt(pi) (2 V)^{3/2}): (p - q) A - q B with p, q in (0, 1]."""
    slope, steps = slope_of(mean, variance)
    V, centre = sp.expand(variance / eta**2), sp.expand(mean / eta)
    tilt = sp.factor(2 * V * sp.diff(centre, theta) - centre * sp.diff(V, theta))
    extra = sp.diff(V, theta) / eta
    factor = 1 / (sp.sqrt(sp.pi) * (2 * V) ** sp.Rational(3, 2))
    p, q = symbol("p"), symbol("q")
    table = {"p": sp.exp(-(centre**2) / (2 * V)), "q": sp.exp(-((centre - 1 / eta) ** 2) / (2 * V))}
    quantity, upper = sp.Abs(slope, evaluate=False), factor * (sp.Abs(tilt) + sp.Abs(extra))
    parts = ((p - q, tilt), (-q, extra))
    step = Step("unit-combination", "{0} <= {1}", (quantity, upper, parts, factor, table))
    return Inequality(quantity, upper, STEEP, (*steps, step), "differentiation and the triangle inequality")
