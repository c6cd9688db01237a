"""LocAteR (Section 6): the gradients of its two regularisers by W_Q and W_K, and where it alone is least."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import sympy as sp

from theorems.algebra.alphabet import Alphabet, differential
from theorems.algebra.expressions import symbol
from theorems.algebra.matrix_calculus import Letter, Matrix
from theorems.gaussian.process import Step
from theorems.kernel.derivation import derivation
from theorems.kernel.hypotheses import ungranted
from theorems.kernel.matrix_facts import Instance, MatrixFact, matrix_fact
from theorems.rules import licensed

#: Where a false print is looked at exactly.
POINTS = tuple({"dim": str(d), "inner": str(m), "seed": str(seed)} for d, m, seed in ((1, 1, 1), (2, 2, 1), (3, 2, 2)))

_Q, _K, _QK = Letter("W_Q", "m", "d"), Letter("W_K", "m", "d"), Letter("W_QK", "d", "d")
LETTERS = Alphabet((_Q, _K, _QK))
#: W_QK = W_Q^T W_K, and t = tr(W_QK).
PRODUCT: Mapping[str, Matrix] = {"W_QK": LETTERS["W_Q"].T * LETTERS["W_K"]}
ALPHABET = Alphabet((_Q, _K), names={"t": PRODUCT["W_QK"].trace()})


def scale() -> Matrix:
    """tr(W_QK^T W_QK)."""
    W = LETTERS["W_QK"]
    return (W.T * W).trace()


def mean() -> Matrix:
    """(tr(W_QK) - 1)^2."""
    return (LETTERS["W_QK"].trace() - Matrix.scalar(1)) ** 2


#: Largest sizes, and largest seed, of a case: exact arithmetic takes its time.
MOST = {"dim": 16, "inner": 16, "tokens": 32, "seed": 10**6}


def count(case: Mapping[str, Any], name: str) -> int:
    """A size or a seed of a case; raises ValueError where it is no integer from 1 to the most there may be."""
    value = Fraction(case[name])
    if value.denominator != 1 or not 1 <= value <= MOST[name]:
        raise ValueError(f"{name} = {case[name]}; expected an integer from 1 to {MOST[name]}")
    return int(value)


def drawn(random: Random, rows: int, columns: int, scale: Fraction = Fraction(1)) -> Any:
    """A matrix of multiples of scale/2 up to 2 scale, as an array of Fractions."""
    entries = [[scale * Fraction(random.randint(-4, 4), 2) for _ in range(columns)] for _ in range(rows)]
    return np.array(entries, dtype=object)


def instance(case: Mapping[str, Any]) -> Instance:
    """W_Q and W_K of ``inner`` x ``dim`` that the case's seed stands for; small half-integers."""
    d, m = count(case, "dim"), count(case, "inner")
    random = Random(f"bao2024.sec6 {d} {m} {count(case, 'seed')}")
    arrays = {name: drawn(random, m, d) for name in ("W_Q", "W_K")}
    return Instance(arrays, {"d": Fraction(d), "m": Fraction(m)})


def gradient(regulariser: Matrix, name: str, second_route: bool) -> MatrixFact:
    """The gradient of a function of W_QK by W_Q or W_K; the second route reads it off from f(W + E)."""
    function = regulariser.substitute(PRODUCT)
    put = Step("matrix-substitution", "with W_QK = W_Q^T W_K: {0} = {2}", (regulariser, PRODUCT, function))
    if second_route:
        moved = differential(function, name, "E")
        value = moved.gradient("E")
        step = Step(
            "matrix-differential",
            f"linear in E of f({name} + E): {moved}, hence the gradient {{2}}",
            (function, name, value),
        )
    else:
        value = function.gradient(name)
        step = Step("matrix-gradient", "gradient by {1}: {2}", (function, name, value))
    method = "the part linear in a perturbation" if second_route else "cyclic derivative of traces of words"
    remarks = minimiser().remarks if regulariser == mean() else ()
    return matrix_fact(
        value,
        (put, step),
        method,
        alphabet=ALPHABET,
        instance=instance,
        given=("W_Q", "W_K"),
        points=POINTS,
        remarks=remarks,
    )


@derivation("bao2024.sec6.grad-scale-q")
def grad_scale_q(second_route: bool) -> MatrixFact:
    """The gradient of tr(W_QK^T W_QK) by W_Q."""
    return gradient(scale(), "W_Q", second_route)


@derivation("bao2024.sec6.grad-scale-k")
def grad_scale_k(second_route: bool) -> MatrixFact:
    """The gradient of tr(W_QK^T W_QK) by W_K."""
    return gradient(scale(), "W_K", second_route)


@derivation("bao2024.sec6.grad-mean-q")
def grad_mean_q(second_route: bool) -> MatrixFact:
    """The gradient of (tr(W_QK) - 1)^2 by W_Q."""
    return gradient(mean(), "W_Q", second_route)


@derivation("bao2024.sec6.grad-mean-k")
def grad_mean_k(second_route: bool) -> MatrixFact:
    """The gradient of (tr(W_QK) - 1)^2 by W_K."""
    return gradient(mean(), "W_K", second_route)


# -- The minimiser of the regulariser alone

#: What the strengths and the rank are.
STRENGTHS = ("kappa_1 > 0", "kappa_2 >= 0", "r >= 1")
#: The settings of Section 7: kappa_1, the values of kappa_2, d.
KAPPA_1, KAPPAS_2, WIDTH = 100, (sp.S.Zero, *(sp.Rational(1, 10**k) for k in (3, 2, 1, 0))), 128


@dataclass(frozen=True)
class Minimiser:
    """Where kappa_1 tr(W^T W) + kappa_2 (tr W - 1)^2 is least over all d x d matrices of rank at most r <= d.

    W = eigenvalue * Pi for any orthogonal projector Pi of rank r (for r = d: a multiple of the identity); ``trace`` is
    tr W there and ``least`` the value, all in kappa_1, kappa_2 and r.
    """

    trace: sp.Expr
    eigenvalue: sp.Expr
    least: sp.Expr
    steps: tuple[Step, ...]

    @property
    def remarks(self) -> tuple[str, ...]:
        """What follows for the strengths, and for the paper's own settings, as lines of evidence.

        Raises ArithmeticError where a step is not licensed.
        """
        unproved = [step.text for step in self.steps if not licensed(step)]
        if unproved:
            raise ArithmeticError(f"the minimiser of the regularisers does not follow: {unproved[0]}")
        needed = ungranted(self.steps, STRENGTHS)
        if needed:
            raise ArithmeticError(f"the minimiser of the regularisers needs {needed[0]}, which {STRENGTHS} do not give")
        lines = [
            "minimiser of the regularisers alone over rank(W_QK) <= r: W_QK = s Pi, Pi an orthogonal projector of rank "
            f"r (the identity for r = d); its r eigenvalues are all s = {self.eigenvalue}, the others 0",
            f"there tr(W_QK) = {self.trace}, below 1 for every kappa_1 > 0; the value is {self.least}",
        ]
        for kappa_2 in KAPPAS_2:
            at = {symbol("kappa_1"): sp.Integer(KAPPA_1), symbol("kappa_2"): kappa_2, symbol("r"): sp.Integer(WIDTH)}
            trace, eigenvalue = self.trace.xreplace(at), self.eigenvalue.xreplace(at)
            lines.append(
                f"settings of Section 7, kappa_1 = {KAPPA_1}, d = r = {WIDTH}, kappa_2 = {kappa_2}: "
                f"eigenvalues {eigenvalue} ({float(eigenvalue):.3g}), tr(W_QK) = {trace} ({float(trace):.3g})"
            )
        return tuple(lines)


def minimiser() -> Minimiser:
    """The minimiser, for every rank: tr(W)^2 <= r tr(W^T W) leaves a square in t = tr W to complete.

    kappa_1 tr(W^T W) + kappa_2 (t - 1)^2 >= (kappa_1/r) t^2 + kappa_2 (t - 1)^2, with equality for W = (t/r) Pi. For
    r = d the gradient, at W = s I, is shown to be 0 as well.
    """
    one, two, r, t, d = (symbol(name) for name in ("kappa_1", "kappa_2", "r", "t", "d"))
    quadratic = one * t**2 / r + two * (t - 1) ** 2
    a, b, c = sp.Poly(sp.expand(quadratic), t).all_coeffs()
    centre, least = sp.factor(-b / (2 * a)), sp.factor(c - b**2 / (4 * a))
    eigenvalue = sp.cancel(centre / r)
    function = scale() * one + mean() * two
    gradient = function.gradient("W_QK")
    at = eigenvalue.xreplace({r: d})
    steps = (
        Step("rank-trace", "tr(W)^2 <= {0} tr(W^T W), so tr(W^T W) >= {1}, attained by (t/{0}) Pi", ("r", t**2 / r)),
        Step("completed-square", "{0} = ({2}) ({1} - {3})^2 + {4}", (quadratic, "t", sp.expand(a), centre, least)),
        Step("matrix-gradient", "gradient by {1}: {2}", (function, "W_QK", gradient)),
        Step("stationary-scalar-matrix", "it is 0 at {1} = {2} I", (gradient, "W_QK", at, sp.Integer(0))),
    )
    return Minimiser(centre, eigenvalue, least, steps)
