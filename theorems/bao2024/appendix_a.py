"""Moment formulas of Appendix A: Lemma 3 for one Gaussian vector, Lemma 4 for two tokens of the walk."""

from __future__ import annotations

from theorems.gaussian.observables import W
from theorems.gaussian.process import Moment, Position, Process
from theorems.kernel.derivation import derivation


@derivation("bao2024.appA.eq11")
def eq11(x: Process) -> Moment:
    """E[x^T W x], Eq. (11)."""
    v = x.token("x")
    return x.expect(x.form(v, W, v))


@derivation("bao2024.appA.eq12")
def eq12(x: Process) -> Moment:
    """E[x x^T] between two arbitrary fixed vectors, a^T E[x x^T] b, Eq. (12)."""
    v = x.token("x")
    return x.expect(x.inner("a", v) * x.inner(v, "b"))


@derivation("bao2024.appA.eq13")
def eq13(x: Process) -> Moment:
    """E[a^T W x x^T W x], Eq. (13)."""
    v = x.token("x")
    return x.expect(x.form("a", W, v) * x.form(v, W, v))


@derivation("bao2024.appA.eq14")
def eq14(x: Process) -> Moment:
    """E[(x^T W x)^2], Eq. (14)."""
    v = x.token("x")
    return x.expect(x.form(v, W, v) ** 2)


@derivation("bao2024.appA.eq15")
def eq15(walk: Process, i: Position) -> Moment:
    """E[x_i^T W x_i], Eq. (15)."""
    return walk.expect(walk.form(i, W, i))


@derivation("bao2024.appA.eq16")
def eq16(walk: Process, i: Position) -> Moment:
    """E[(x_i^T W x_i)^2], Eq. (16)."""
    return walk.expect(walk.form(i, W, i) ** 2)


@derivation("bao2024.appA.eq17")
def eq17(walk: Process, i: Position, j: Position) -> Moment:
    """E[x_i^T W x_j x_j^T W x_i] for i <= j, Eq. (17)."""
    return walk.expect(walk.form(i, W, j) * walk.form(j, W, i))


@derivation("bao2024.appA.eq18")
def eq18(walk: Process, i: Position, j: Position) -> Moment:
    """E[x_i^T W x_j x_j^T W x_j] for i <= j, Eq. (18)."""
    return walk.expect(walk.form(i, W, j) * walk.form(j, W, j))
