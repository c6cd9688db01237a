"""Independent tokens that are not Gaussian: signs, the sphere, Student's t and Gaussian mixtures.

Each is x = R z with R R = Sigma and z spherical but for the signs: E of a product in which the token occurs 2k times is
the Gaussian one times the factor E r^(2k)/E |g|^(2k), where r = |z| and g ~ N(0, I); odd moments are 0.

signs         z has independent coordinates +1 and -1 with probability 1/2; in one dimension the factor is 1/(2k - 1)!!
sphere        z is uniform on the sphere of radius sqrt(d): d^k/(d (d + 2) ... (d + 2k - 2))
student(nu)   z = g/sqrt(c/nu), c ~ chi^2_nu, so that x ~ t_nu(0, Sigma) has Sigma for its scale matrix and the
              covariance nu/(nu - 2) Sigma: nu^k/((nu - 2)(nu - 4) ... (nu - 2k)), where 2k < nu
mixture(p, c) z ~ N(0, c I) with probability p, else N(0, I): 1 - p + p c^k
isotropic     z is uniform on the sphere of radius r, r of any law: the factor of the sphere times E (r/sqrt(d))^(2k)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from math import prod
from typing import Any

import sympy as sp

from theorems.algebra.ratio import Ratio
from theorems.statement.expression import Expr, StatementError
from theorems.statement.moments.forms import NotPolynomialError
from theorems.statement.reading.hypotheses import Hypotheses
from theorems.statement.reading.places import Place
from theorems.statement.reading.ranges import Range


def check(kind: str, arguments: Sequence[Expr], known: Hypotheses, text: str) -> None:
    """Raise StatementError for arguments that leave no law: nu > 0, 0 <= p <= 1, c >= 0, numbers or hypotheses."""
    wanted = {
        "iid-student": [("nu", Range(Fraction(0), low_open=True))],
        "iid-mixture": [("p", Range(Fraction(0), Fraction(1))), ("c", Range(Fraction(0)))],
    }.get(kind, [])
    for node, (name, values) in zip(arguments if wanted else (), wanted, strict=True):
        if not _within(_range(node, known), values):
            top = f" <= {values.high}" if values.high is not None else ""
            wanted_of = f"{values.low} {'<' if values.low_open else '<='} {node}{top}"
            mend = "take another number" if node.op == "number" else "say so with --for"
            raise StatementError(f"{name} = {node} in {text}; expected {wanted_of}; {mend}", text, max(node.at, 0))


def check_frame(known: Hypotheses, places: Iterable[Place], given: str, tends: bool) -> None:
    """Raise StatementError where a token is not said to be one of the first d: orthogonal ones are at most d.

    ``tends`` says that a position tends to infinity.
    """
    if tends:
        raise StatementError(
            "a frame has at most d tokens, and T tends while d stays; take another law, e.g. iid", given, 0
        )
    pairs = [(one, two) for mark, one, two in known.relations if mark in ("<=", "<", "=")]
    pairs += [(two, one) for mark, one, two in known.relations if mark in (">=", ">", "=")]
    below = {low.args[0] for low, high in pairs if high == Expr("name", ("d",)) and low.op == "name"}
    for place in places:
        fine = place.name in below and place.offset <= 0 if place.name else place.offset <= (known.dimension.low or 1)
        # every token is one of 1, ..., T
        if not fine and "T" not in below:
            said = f"{place} <= d" if place.name else f"d >= {place}"
            raise StatementError(f"a frame has at most d tokens; say so with --for, {said}", given, 0)


def _range(node: Expr, known: Hypotheses) -> Range:
    if node.op == "number":
        return Range(node.args[0], node.args[0])
    return known.ranges.get(node.args[0], Range()) if node.op == "name" else Range()


def _within(inner: Range, outer: Range) -> bool:
    low = inner.low is not None and (
        outer.low is None
        or inner.low > outer.low
        or (inner.low == outer.low and (inner.low_open or not outer.low_open))
    )
    return low and (outer.high is None or (inner.high is not None and inner.high <= outer.high))


def exists(kind: str, arguments: Sequence[Expr], count: int, known: Hypotheses) -> None:
    """Raise StatementError where a token occurs so often that the moment does not exist, or need not."""
    if kind != "iid-student" or _within(_range(arguments[0], known), Range(Fraction(count), low_open=True)):
        return
    nu = arguments[0]
    certain = nu.op == "number"
    raise StatementError(
        f"{'the' if certain else 'whether the'} moment {'does not exist' if certain else 'exists is not said'}: a "
        f"token occurs {count} times in a product, and t_{nu} has moments of order below {nu} only; "
        + (f"take nu > {count}" if certain else f"say {nu} > {count} with --for")
    )


def factor(
    kind: str, arguments: Sequence[Ratio], half: int, known: Hypotheses, inverse: Callable[[Ratio], Ratio]
) -> Ratio:
    """What the Gaussian moment of a product with 2 ``half`` of one token is to be multiplied by.

    ``inverse`` gives 1/value. Raises NotPolynomialError where the moment takes the coordinates of the tokens.
    """
    if kind == "iid-signs":
        if half > 1 and known.dimension.high != 1:
            raise NotPolynomialError(
                f"a token of signs occurs {2 * half} times: its moments take the coordinates; say d = 1, or take "
                "the law iid(sphere)"
            )
        return Ratio.of(Fraction(1, prod(range(1, 2 * half, 2))))
    if kind == "iid-mixture":
        p, c = arguments
        return Ratio.of(1) - p + p * c**half
    spherical = kind in ("iid-sphere", "iid-isotropic")
    head = Ratio.of("d") if spherical else arguments[0]
    found = radial(2 * half) if kind == "iid-isotropic" else Ratio.of(1)
    for k in range(1, half + 1):
        step = 2 * (k - 1) if spherical else -2 * k
        found = found if step == 0 else found * head * inverse(head + step)
    return found


def radial(power: int) -> Ratio:
    """E (r/sqrt(d))^power of isotropic tokens, a name of its own, as the law of r is any."""
    return Ratio.of(f"radial({power})") if power else Ratio.of(1)


class Radial(sp.Function):  # type: ignore[misc]
    """``radial`` of a power that is no number: it moves with the names in it."""

    nargs = 1
    is_real = True

    @classmethod
    def eval(cls, power: sp.Expr) -> sp.Expr | None:
        return radial(int(power)).expr if power.is_Integer and power >= 0 else None

    def _sympystr(self, printer: Any) -> str:
        return f"radial({printer.doprint(self.args[0])})"


def radial_at(label: str, lengths: Sequence[Fraction]) -> Fraction | None:
    """What such a name is at a case, where r/sqrt(d) is one of some lengths, all alike; None for another name."""
    match = re.fullmatch(r"radial\((\d+)\)", label)
    return sum((one ** int(match[1]) for one in lengths), Fraction(0)) / len(lengths) if match else None


def words(kind: str, arguments: Sequence[Expr]) -> str:
    """How the tokens are made, in words."""
    if kind == "iid-signs":
        return "the tokens are independent, Sigma^(1/2) e with e of independent signs, +1 and -1 with probability 1/2"
    if kind == "iid-sphere":
        return "the tokens are independent, Sigma^(1/2) sqrt(d) e_t with e_t uniform on the unit sphere"
    if kind == "iid-student":
        nu = arguments[0]
        return (
            f"the tokens are independent, t_{nu}(0, Sigma): Sigma^(1/2) g/sqrt(c/({nu})), g ~ N(0, I), c ~ chi^2_{nu}, "
            f"with the scale matrix Sigma (the covariance is {nu}/({nu} - 2) Sigma)"
        )
    p, c = arguments
    return f"the tokens are independent, N(0, ({c}) Sigma) with probability {p}, else N(0, Sigma)"
