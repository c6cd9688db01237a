"""Where a bound that is refuted holds all the same: where it follows from its correction."""

from __future__ import annotations

import sympy as sp

from theorems.algebra.expressions import ExpressionError, parse
from theorems.claims.catalogue import Statement
from theorems.kernel.catalogued import left_side, said
from theorems.statement.expression import Expr, StatementError, number
from theorems.statement.moments.forms import NotPolynomialError
from theorems.statement.proofs.prover import STEPS, Prover
from theorems.statement.proposition import Proposition
from theorems.statement.work import Work

#: A bound of this relation follows where print - correction has this sign.
SIGNS = {"<=": 1, "<": 1, ">=": -1, ">": -1}
#: A condition longer than this says nothing to a reader.
LONGEST = 40


def follows_where(claim: Statement, name: str, correction: str) -> tuple[str, str]:
    """The condition c >= 0 under which a printed bound follows from a correction, and on what that rests.

    print - correction is factorised, and the signs of all factors but one follow from the hypotheses; "" twice where no
    one factor decides.
    """
    prop = said(claim, name)
    if prop.relation not in SIGNS or prop.error is not None:
        return "", ""
    table = {sp.Symbol(one): _signed(claim, one, prop) for one in (*claim.symbols, "d")}
    try:
        gap = SIGNS[prop.relation] * (parse(claim.printed[name]) - parse(correction))
    except (ExpressionError, KeyError):
        return "", ""
    sign, unknown, product = 1, list[sp.Expr](), sp.factor(gap.xreplace(table))
    for factor in sp.Mul.make_args(product):
        for one in _compared(factor):
            base, power = one.as_base_exp()
            if one.is_nonnegative or (power.is_even and base.is_real):
                continue
            if one.is_nonpositive:
                sign = -sign
            else:
                unknown.append(one)
    if len(unknown) != 1:
        return "", ""
    back = {made: plain for plain, made in table.items()}
    told = _condition(sp.expand(sign * unknown[0]).xreplace(back))
    if len(told) > LONGEST:
        return "", ""
    of_a_sign = [
        f"{s} {'>' if s.is_positive else '>='} 0" for s in sorted(product.free_symbols, key=str) if s.is_nonnegative
    ]
    told_gap = (
        f"{'print - correction' if SIGNS[prop.relation] > 0 else 'correction - print'} = {product.xreplace(back)}"
    )
    rest = f", whose other factors have a sign as {', '.join(of_a_sign)}" if of_a_sign else ""
    return told, f"the print follows from the correction where {told}: {told_gap}{rest}"


def _compared(factor: sp.Expr) -> tuple[sp.Expr, ...]:
    """A factor, or for exp(p) - exp(q), which has the sign of p - q, the factors of that."""
    if not (factor.is_Add and len(factor.args) == 2):
        return (factor,)
    parts = [term.as_coeff_Mul() for term in factor.args]
    exponents = [_exponent(rest) for _, rest in parts]
    if sorted(count for count, _ in parts) != [-1, 1] or None in exponents:
        return (factor,)
    gap = sum(count * exponent for (count, _), exponent in zip(parts, exponents, strict=True) if exponent is not None)
    return tuple(sp.Mul.make_args(sp.factor(gap)))


def _exponent(product: sp.Expr) -> sp.Expr | None:
    """q of exp(q), for 1 and for products of exponentials; None for anything else."""
    waves = [one for one in sp.Mul.make_args(product) if one != 1]
    return sp.Add(*(one.args[0] for one in waves)) if all(isinstance(one, sp.exp) for one in waves) else None


def _condition(above: sp.Expr) -> str:
    """above >= 0 with what is subtracted on the other side."""
    terms = sp.Add.make_args(above)
    larger = sp.Add(*(term for term in terms if not term.could_extract_minus_sign()))
    return f"{larger} >= {larger - above}"


def _signed(claim: Statement, symbol: str, prop: Proposition) -> sp.Symbol:
    """A declared symbol with what the hypotheses say of what it stands for."""
    assert claim.says is not None
    node = Expr("name", (symbol,))
    if symbol in claim.says.quantities:
        node = left_side(claim.says, symbol).left
    whole = node.op == "name" and node.args[0] in (*prop.positions, "d")
    if whole:
        return sp.Symbol(symbol, integer=True, positive=True)
    for strict, known in ((True, {"positive": True}), (False, {"nonnegative": True})):
        try:
            if Prover(prop, Work(STEPS / 10)).at_least(node, number(0), strict) is not None:
                return sp.Symbol(symbol, **known)
        except (NotPolynomialError, StatementError):
            break
    return sp.Symbol(symbol, real=True)
