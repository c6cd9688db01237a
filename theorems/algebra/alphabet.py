"""The letters of a matrix polynomial: their shapes, and what they stand for."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field

from theorems.algebra.expressions import symbol
from theorems.algebra.matrix_calculus import BOUND, Letter, Matrix, MatrixError


@dataclass(frozen=True)
class Alphabet:
    """The letters of a model, by name, and how a formula in them is read.

    ``entries`` names the columns or entries of a matrix with tokens ({"X": "x"}), ``fixed`` the indices that are
    tokens of their own (the last token T), ``scalars`` the commuting names, ``names`` those of scalar expressions.
    """

    letters: tuple[Letter, ...]
    entries: Mapping[str, str] = field(default_factory=dict)
    fixed: tuple[str, ...] = ("T",)
    scalars: tuple[str, ...] = ()
    names: Mapping[str, Matrix] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Matrix:
        """A whole letter; raises MatrixError for one that there is not."""
        for letter in self.letters:
            if letter.name == name:
                return Matrix.of(letter)
        raise MatrixError(f"{name!r} is no letter; expected one of {', '.join(x.name for x in self.letters)}")

    def entry(self, name: str, *index: str) -> Matrix:
        """A column or an entry by its name and indices: x[i], Gamma[alpha, i]."""
        whole = {entry: letter for letter in self.letters for entry in [self.entries.get(letter.name)] if entry}
        if name not in whole:
            raise MatrixError(f"{name}[{', '.join(index)}]: {name!r} has no columns or entries")
        base, places = whole[name], iter(index)
        if len(index) != (base.rows == "T") + (base.columns == "T"):
            raise MatrixError(
                f"{name}[{', '.join(index)}]: {len(index)} indices; {base.name} is {base.rows} x {base.columns}"
            )
        at = tuple(next(places) if size == "T" else "" for size in (base.rows, base.columns))
        return Matrix.of(Letter(name, base.rows, base.columns, (at[0], at[1])))

    def read(self, text: str) -> Matrix:
        """A printed matrix formula: ``Sum(i, alpha, Gamma[alpha, i]*(x[i].T*Pc*x[T])*x[alpha], Pc = W.T*W)``.

        Products, sums, ``.T`` for the transpose, ``tr(...)``, integers, and ``Sum(i, j, ..., body)`` outside, over all
        tokens. After the formula, separated by commas, stand the definitions of its further names. Nothing is
        executed. Raises MatrixError, also for an index that is neither summed nor fixed.
        """
        try:
            call = ast.parse(f"_({text})", mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise MatrixError(f"{text[:120]!r} is no matrix formula: {error}") from None
        if not isinstance(call, ast.Call) or len(call.args) != 1:
            raise MatrixError(f"{text[:120]!r}: expected one formula, then definitions such as P = X.T*X")
        defined: dict[str, Matrix] = {}
        # a definition may name those that stand after it
        for keyword in reversed(call.keywords):
            defined[keyword.arg or ""] = self._build(keyword.value, defined)
        found = self._build(call.args[0], defined)
        loose = {name for letter in found.letters() for name in letter.index if name and not name.startswith(BOUND)}
        if loose - set(self.fixed):
            raise MatrixError(f"{text[:120]!r}: the index {min(loose - set(self.fixed))} is not summed over")
        return found

    def _build(self, node: ast.expr, defined: Mapping[str, Matrix]) -> Matrix:
        if isinstance(node, ast.Constant) and type(node.value) is int:
            return Matrix.scalar(node.value)
        if isinstance(node, ast.Name):
            if node.id in defined:
                return defined[node.id]
            if node.id in self.names:
                return self.names[node.id]
            return Matrix.scalar(symbol(node.id)) if node.id in self.scalars else self[node.id]
        if isinstance(node, ast.Attribute) and node.attr == "T":
            return self._build(node.value, defined).T
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            places = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            if all(isinstance(place, ast.Name) for place in places):
                return self.entry(node.value.id, *(place.id for place in places if isinstance(place, ast.Name)))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -self._build(node.operand, defined)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub | ast.Mult):
            left, right = self._build(node.left, defined), self._build(node.right, defined)
            return (
                left * right
                if isinstance(node.op, ast.Mult)
                else left + (right if isinstance(node.op, ast.Add) else -right)
            )
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            if node.func.id == "tr" and len(node.args) == 1:
                return self._build(node.args[0], defined).trace()
            *names, body = node.args
            if node.func.id == "Sum" and names and all(isinstance(name, ast.Name) for name in names):
                return self._build(body, defined).summed(name.id for name in names if isinstance(name, ast.Name))
        raise MatrixError(f"{ast.unparse(node)[:120]!r} is no product, sum, transpose, trace or sum over tokens")


def differential(function: Matrix, name: str, direction: str) -> Matrix:
    """The part of f(W + E) that is linear in E, for the letter E = ``direction`` of W's size."""
    sizes = {(letter.rows, letter.columns) for letter in function.letters() if letter.name == name}
    if len(sizes) != 1 or any(letter.name == direction for letter in function.letters()):
        raise MatrixError(f"no direction {direction} from {name} in {function}")
    ((rows, columns),) = sizes
    moved = Matrix.of(Letter(name, rows, columns)) + Matrix.of(Letter(direction, rows, columns))
    return function.substitute({name: moved}).linear_part(direction)
