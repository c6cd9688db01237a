"""Checks by hand of refutations: a few lines in which a reader finds both values again, made from the report's data.

Every line is computed from what the claim says as data and from its counterexample; nothing is written down for a
claim. A check whose values are not those of the report is not shown.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import msgspec

from proofs_check.claims.report import Claim
from proofs_check.report.byhand import bounded, enclosed, finite, gradients, moments, numbers, pairings, sums

#: Most lines of a check.
MOST = 5


def check(claim: Claim) -> tuple[str, ...]:
    """The lines of a refuted claim's check by hand, in the words of the pages; none where none could be made."""
    if claim["verdict"] != "refuted" or not claim["counterexample"] or not claim.get("said"):
        return ()
    read: dict[str, object] = {key: claim[key] for key in _READ if key in claim}  # type: ignore[literal-required]
    read |= {key: found for side in _SIDES for key, found in claim[side].items() if key in _FOUND}
    return _check(msgspec.json.encode(read))


def tokens(claim: Claim) -> str:
    """What a check by hand of this claim says of the tokens; "" where it has others."""
    try:
        found = moments.tokens(pairings.setting_of(claim, next(iter(claim["printed"]))))
    except (LookupError, ValueError, TypeError):
        return ""
    return found if any(found in line for line in check(claim)) else ""


_READ = ("id", "verdict", "counterexample", "said", "printed", "symbols", "kind", "correction", "cases")
#: What both sides found, as data.
_SIDES: tuple[Literal["symbolic"], Literal["simulation"]] = ("symbolic", "simulation")
_FOUND = ("between", "orders", "path", "exponents")


@lru_cache(maxsize=512)
def _check(encoded: bytes) -> tuple[str, ...]:
    from theorems.algebra.expressions import ExpressionError
    from theorems.statement.expression import StatementError

    claim = msgspec.json.decode(encoded)
    unfit = (ExpressionError, StatementError, ArithmeticError, LookupError, RecursionError, SyntaxError)
    for way in (moments.lines, sums.lines, gradients.lines, finite.lines, bounded.lines, enclosed.lines, numbers.lines):
        try:
            found = way(claim)
        except (*unfit, ValueError, TypeError, AttributeError):
            found = []
        if 0 < len(found) <= MOST:
            return tuple(found)
    return ()
