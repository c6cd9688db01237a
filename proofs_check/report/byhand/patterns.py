"""The least costs of attention patterns between two numbers that a reader works out: one group of two tokens.

A matrix with the margins of the diagonal pattern costs no less than the least such; multipliers of the means of the
sink pattern's margins bound all of its matrices from below. Both are checked exactly against the patterns themselves.
"""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from proofs_check.report.byhand.substituting import told

#: b_BOS, dbar_1 and c_1 over sqrt(d), and the direction of the nuisances.
AXES = ("b", "e", "f", "g")


def lines(params: Mapping[str, str], more: str | sp.Rational, less: str | sp.Rational) -> list[str]:
    """Why ``more`` costs no less than ``less``, patterns by name or a number of units; none for another instance."""
    if (params.get("C"), params.get("n")) != ("1", "2"):
        return []
    lam = sp.Rational(params["lam"])
    below = ("", more) if not isinstance(more, str) else _sink_at_least(lam) if more == "sink" else None
    above = ("", less) if not isinstance(less, str) else _diagonal_at_most(lam) if less == "diag" else None
    if below is None or above is None or not below[1] - above[1] >= 0:
        return []
    return [_setting(lam), *filter(None, (above[0], below[0]))]


def _setting(lam: sp.Rational) -> str:
    """The tokens in coordinates."""
    token = lam * sp.Symbol("e") + sp.sqrt(1 - lam**2) * sp.Symbol("s") * sp.Symbol("g")
    return (
        "Let `b`, `e`, `f`, `g` be orthonormal, with `b_BOS = sqrt(d)*b`, `dbar_1 = sqrt(d)*e`, `c_1 = sqrt(d)*f` and "
        f"`sqrt(d)*({token})` for the two tokens, `s = 1` and `s = -1`; in units of `kappa/sqrt(d)` margins are at "
        "least 1 and costs `2*norm(W, nuclear)`."
    )


def _diagonal_at_most(lam: sp.Rational) -> tuple[str, sp.Expr] | None:
    """A matrix with the diagonal pattern's margins, in a sentence, and what it costs at most; None where it has not."""
    own = sp.Rational(3) / (2 * lam**2 + 1)
    copying = [-(1 + own) / 2, lam * own, (1 - own) / 2, 0]
    found = []
    # what the tokens want is done on the nuisances alone, or half there
    for share in (sp.Integer(1), sp.Rational(1, 2)):
        more = (1 - share) / (lam**4 + lam**2 / 2)
        wanting = [-lam * more / 2, lam**2 * more, -lam * more / 2, 0]
        matrix = sp.Matrix([[0] * 4, wanting, copying, [0, 0, 0, share / (1 - lam**2)]])
        sizes = [sp.sqrt(sum(entry**2 for entry in matrix.row(k))) for k in range(4)]
        found.append((2 * sum(sizes), matrix))
    cost, matrix = min(found, key=lambda one: sp.N(one[0]))
    if not _margins(matrix, lam, "diag"):
        return None
    terms = [f"{axis}*({_combined(matrix.row(k))}).T" for k, axis in enumerate(AXES) if any(matrix.row(k))]
    return (
        f"`W = {' + '.join(terms)}` has the diagonal pattern's margins, and its nuclear norm is at most the sum "
        f"of the lengths of its terms: the diagonal pattern costs at most {_number(cost)}.",
        cost,
    )


def _sink_at_least(lam: sp.Rational) -> tuple[str, sp.Expr] | None:
    """Multipliers of means of the sink pattern's margins, in a sentence, and the cost that they force."""
    first = 1 / (lam * sp.sqrt(1 + lam**2))
    second = 1 / sp.sqrt(lam**4 + lam**2 + (1 + lam**2) ** 2)
    third = (1 + lam**2) * second
    # the rows that e and f have in the sum of multipliers times query times difference of keys
    one = [lam * first, -(lam**2) * first, 0, 0]
    two = [third - second, lam * second, -third, 0]
    gram = [sp.simplify(sum(a * b for a, b in zip(x, y, strict=True))) for x, y in ((one, one), (two, two), (one, two))]
    if gram != [1, 1, 0] or not _means_of_margins():
        return None
    cost = 2 * (first + second + third)
    return (
        f"In the sink pattern the margins of the tokens are on average `{lam}*e.T*W*(b - {lam}*e) >= 1`, and those of "
        f"c_1 `f.T*W*({lam}*e - b) >= 1` and `f.T*W*(b - f) >= 1`. Times {_number(first)}, {_number(second)} and "
        f"{_number(third)} they add up to tr(Y^T W) of a Y whose two rows are orthogonal and of length 1, which is at "
        f"most the nuclear norm: the sink pattern costs at least {_number(cost)}.",
        cost,
    )


def _margins(matrix: sp.Matrix, lam: sp.Rational, pattern: str) -> bool:
    """Whether the matrix has all margins of the pattern, for both tokens."""
    from theorems.lampert2026.patterns.symmetric import wins

    for sign in (1, -1):
        at = {"b": [1, 0, 0, 0], "f": [0, 0, 1, 0]}
        at |= {name: [0, lam, 0, sign * way * sp.sqrt(1 - lam**2)] for name, way in (("g", 1), ("h", -1))}
        for query, winner, loser in wins(pattern):
            if loser in "FGH":
                # there is no other group
                continue
            apart = sp.Matrix(at[winner]) - sp.Matrix(at[loser])
            if not (sp.Matrix(at[query]).T * matrix * apart)[0] - 1 >= 0:
                return False
    return True


def _means_of_margins() -> bool:
    """Whether the sink pattern has the margins whose means are taken: g and h are the two tokens."""
    from theorems.lampert2026.patterns.symmetric import wins

    return {("g", "b", "g"), ("g", "b", "h"), ("f", "g", "b"), ("f", "b", "f")} <= {*wins("sink")}


def _number(value: sp.Expr) -> str:
    exact, about, digits = told(value).partition(" (about ")
    return f"`{exact}`{about}{digits}"


def _combined(row: sp.Matrix) -> str:
    """The sum of the axes with the entries of a row."""
    return str(sum(entry * sp.Symbol(axis) for entry, axis in zip(row, AXES, strict=True)))
