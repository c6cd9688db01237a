"""The trusted rule that takes a moment of the model to its limit in a regime."""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from theorems.algebra.expressions import same
from theorems.gaussian.asymptotics import expand
from theorems.gaussian.moments.recompute import recomputed
from theorems.gaussian.process import Moment
from theorems.rules import rule


@rule("moment-limit", concludes=2)
def moment_limit(moment: Moment, regime: Mapping[str, str], value: sp.Expr) -> bool:
    """The limit of a mean, variance or covariance as T -> infinity, from its exact value computed again.

    The regime gives the positions, i = theta T; the value at finite T comes by the route that was not taken before.
    """
    if moment.observable is None:
        return False
    found = expand(recomputed(moment), dict(regime))
    return not found.grows and same(found.limit.expr, value)
