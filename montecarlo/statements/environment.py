"""What the names of a statement stand for at a case, and the tokens of some walks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from montecarlo.cases import CaseError, covariance_rows, dimension
from montecarlo.statements.arrays import Array, array, library, place
from montecarlo.statements.nodes import Node, StatementSimulationError


@dataclass
class Environment:
    """n walks with ``tokens`` (n, T, d), and the values of names: matrices (d, d), lists (k,), scalars; all float64.

    ``lists`` are fixed vectors of R^d and sequences alike, ``families`` vectors by their indices, (..., d). ``places``
    maps a position to its row of the tokens where not all of 1 ... T were made. Inside a sum, ``index`` is bound to
    ``bound``: an int, or a float64 array (J, 1, ...) that adds an axis of length J to the left of those there;
    ``axes`` are the lengths of all such axes.
    The walks of an ``exhaustive`` one are a whole law, equally likely.
    """

    n: int = 1
    tokens: Array | None = None
    matrices: Mapping[str, Array] = field(default_factory=dict)
    lists: Mapping[str, Array] = field(default_factory=dict)
    scalars: Mapping[str, float | Array] = field(default_factory=dict)
    places: Mapping[int, int] | None = None
    parent: Environment | None = None
    index: str = ""
    bound: float | Array = 0
    axes: tuple[int, ...] = ()
    memo: dict[Node, Any] = field(default_factory=dict)
    families: Mapping[str, Array] = field(default_factory=dict)
    exhaustive: bool = False
    #: Where what holds no unknown is worked out, for this and for all other trials of unknowns.
    around: Environment | None = None
    #: What Sigma^(-1/2) x[t] is at most as long as, under a law whose tokens have a bound.
    radius: float | None = None
    #: That of torch's tensors; None for numpy's arrays.
    device: Any = None

    def inside(self, index: str, bound: float | Array) -> Environment:
        """The environment inside a sum, with its index bound."""
        axes = self.axes if isinstance(bound, float | int) else (len(bound), *self.axes)
        return replace(self, parent=self, index=index, bound=bound, axes=axes, memo={}, around=None)

    def with_unknowns(self, n: int, values: Mapping[str, Array]) -> Environment:
        """The same names with trial values of unknowns, one for every one of n walks; bound indices are names then.

        Tokens stay only where there is one walk, which is the same for every trial. Tensors of the inference mode are
        copied, so that a gradient by the unknowns may be taken.
        """
        matrices, lists, scalars, families = (
            {label: outside(one) for label, one in table.items()}
            for table in (self.matrices, self.lists, self.scalars, self.families)
        )
        frames = [frame for frame in self.frames() if frame.parent is not None]
        scalars |= {frame.index: outside(frame.bound) for frame in reversed(frames)}
        for name, value in values.items():
            (matrices if value.ndim == 3 else scalars)[f"unknown {name}"] = value
        alone = outside(self.tokens).expand(n, -1, -1) if self.tokens is not None and self.n == 1 else None
        around = self if all(isinstance(frame.bound, float | int) for frame in frames) else None
        return Environment(n, alone, matrices, lists, scalars, self.places, families=families, around=around)

    def walks(self) -> Iterator[Environment]:
        """The environment of every walk alone, bound indices with it."""
        for k in range(self.n):
            frames = list(self.frames())
            alone = self.with_tokens(self._tokens()[k : k + 1], self.places)
            for frame in reversed(frames[:-1]):
                alone = alone.inside(frame.index, frame.bound)
            yield alone

    def frames(self) -> Iterator[Environment]:
        """This environment and those around it, the innermost first."""
        frame: Environment | None = self
        while frame is not None:
            yield frame
            frame = frame.parent

    def with_tokens(self, tokens: Array, places: Mapping[int, int] | None = None) -> Environment:
        """The same case with other walks."""
        return Environment(
            len(tokens),
            tokens,
            self.matrices,
            self.lists,
            self.scalars,
            places,
            families=self.families,
            device=place(tokens),
        )

    def replaced(self, kind: str, name: str, value: Array) -> Environment:
        """The same place, sums around it included, with another matrix or list; nothing worked out before is kept.

        Tensors of the inference mode are copied, so that a gradient may be taken through them outside of it.
        """
        outer = None if self.parent is None else self.parent.replaced(kind, name, value)
        matrices, lists, scalars = (
            {label: outside(one) for label, one in table.items()} for table in (self.matrices, self.lists, self.scalars)
        )
        (matrices if kind == "matrix" else lists)[name] = value
        tokens = None if self.tokens is None else outside(self.tokens)
        bound = outside(self.bound)
        names = matrices, lists, scalars
        return Environment(
            self.n, tokens, *names, self.places, outer, self.index, bound, self.axes, device=place(value)
        )

    def scalar(self, name: str) -> float | Array:
        """The value of a name: of the innermost sum that binds it, or of the case."""
        for frame in self.frames():
            if frame.index == name:
                return frame.bound
        if name not in self.scalars:
            raise StatementSimulationError(f"the case has no {name}; it has {', '.join(self.scalars) or 'no numbers'}")
        return self.scalars[name]

    def matrix(self, name: str) -> Array:
        """A matrix of the case."""
        if name not in self.matrices:
            raise StatementSimulationError(f"the case has no matrix {name}; give it as nested lists of rationals")
        return self.matrices[name]

    def list_of(self, name: str) -> Array:
        """A fixed vector, or a sequence, of the case."""
        if name not in self.lists:
            raise StatementSimulationError(f"the case has no vector {name}; give it as a list of rationals")
        return self.lists[name]

    def family(self, name: str) -> Array:
        """The vectors of a family of the case."""
        if name not in self.families:
            raise StatementSimulationError(f"the case has no family {name}; give it as nested lists of rationals")
        return self.families[name]

    def token(self, position: int) -> Array:
        """x_position, (n, d)."""
        return self._tokens()[:, self._row(position)]

    def tokens_at(self, positions: list[int]) -> Array:
        """The tokens at some positions, (k, n, d)."""
        own = library(self._tokens())
        stacked = own.moveaxis(self._tokens(), 1, 0)
        rows = [self._row(position) for position in positions]
        if rows == list(range(rows[0], rows[0] + len(rows))):
            return stacked[rows[0] : rows[0] + len(rows)]
        return stacked[rows]

    def mean(self) -> Array:
        """The mean of the tokens x_1, ..., x_T, (n, d): the one after the last, if it is there, is not among them."""
        if self.places is not None:
            raise StatementSimulationError("mean(x) needs all tokens, and only some were made")
        return self._tokens()[:, : int(self.scalars.get("T", self._tokens().shape[1]))].mean(1)

    def _tokens(self) -> Array:
        if self.tokens is None:
            raise StatementSimulationError("a token occurs where there are no walks; take a moment of it")
        return self.tokens

    def _row(self, position: int) -> int:
        if self.places is not None and position in self.places:
            return self.places[position]
        if self.places is None and 1 <= position <= self._tokens().shape[1]:
            return position - 1
        raise StatementSimulationError(f"x[{position}] does not exist; positions are 1 to {self._tokens().shape[1]}")


def outside(data: Any) -> Any:
    """A tensor of the inference mode as an ordinary one; anything else as it is."""
    return data.clone() if hasattr(data, "is_inference") and data.is_inference() else data


def environment_of(
    case: Mapping[str, Any], device: Any = "cpu", sizes: Mapping[str, tuple[str, str]] | None = None
) -> Environment:
    """The names of a case: ints and "p/q" strings as numbers, lists as vectors, nested lists as matrices, and I.

    ``sizes`` are the rows and columns, by name or number, of the matrices that need not be d x d. Families of vectors
    are nested lists by name under "families". Arrays are torch's on the ``device``, or numpy's where it is None.
    """
    matrices, lists, scalars = dict[str, Array](), dict[str, Array](), dict[str, float | Array]()
    families = {name: _array(name, value, device) for name, value in case.get("families", {}).items()}
    for name, value in case.items():
        if name == "families":
            continue
        if isinstance(value, list | tuple):
            rows = value and isinstance(value[0], list | tuple)
            (matrices if rows else lists)[name] = _array(name, value, device)
        elif (number := _scalar(value)) is not None:
            scalars[name] = number
    if "Sigma" in matrices:
        matrices["Sigma"] = array(_covariance({"d": len(matrices["Sigma"]), "Sigma": case["Sigma"]}), device)
    given = {name: tuple(_size(label, scalars, name) for label in size) for name, size in (sizes or {}).items()}
    for name, wanted in given.items():
        if name in matrices and tuple(matrices[name].shape) != wanted:
            shape = tuple(matrices[name].shape)
            raise StatementSimulationError(f"{name} is {shape}; expected {wanted[0]} x {wanted[1]}")
    if any(name in case for name in ("d", *(matrices.keys() - given.keys()))) or "m" in lists:
        d = _dimension(case, matrices)
        scalars.setdefault("d", d)
        matrices["I"] = array(np.eye(d), device)
        for name, matrix in matrices.items():
            if name not in given and tuple(matrix.shape) != (d, d):
                raise StatementSimulationError(f"{name} is {tuple(matrix.shape)}; expected {d} x {d}, as d = {d}")
    return Environment(matrices=matrices, lists=lists, scalars=scalars, families=families, device=device)


def _size(label: str, scalars: Mapping[str, float | Array], name: str) -> int:
    found = int(label) if label.isdigit() else scalars.get(label)
    if not isinstance(found, int | float) or found != round(found):
        raise StatementSimulationError(f"the case has no whole number {label}, a size of {name}; give it")
    return round(found)


def _dimension(case: Mapping[str, Any], matrices: Mapping[str, Array]) -> int:
    if "d" not in case and matrices:
        return len(next(iter(matrices.values())))
    try:
        return dimension(case)
    except CaseError as error:
        raise StatementSimulationError(str(error)) from None


def _covariance(case: Mapping[str, Any]) -> list[list[float]]:
    try:
        return covariance_rows(case)
    except CaseError as error:
        raise StatementSimulationError(str(error)) from None


def _scalar(value: Any) -> float | None:
    """A number; None for a word, such as the name of a law."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value
    try:
        return float(Fraction(str(value)))
    except (ValueError, ZeroDivisionError):
        return None


def _array(name: str, value: Any, device: Any) -> Array:
    try:
        return array(list(_numbers(value)), device)
    except (ValueError, TypeError, ZeroDivisionError):
        raise StatementSimulationError(
            f'case[{name!r}] = {value!r}; expected rationals such as 3 or "-1/2", in rows of equal length'
        ) from None


def _numbers(value: Any) -> Iterator[Any]:
    for entry in value:
        yield list(_numbers(entry)) if isinstance(entry, list | tuple) else float(Fraction(str(entry)))
