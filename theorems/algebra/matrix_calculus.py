"""Matrices of any size: sums of products of letters, their traces and derivatives, with equality by normal form.

A word is a product of letters, each with its dimensions by name ("d", "T", "1"); a scalar is a product of traces of
words. A factor between two dimensions "1" is a scalar, so it is moved out of its word, and a trace is kept up to
rotation and transposition. Letters may carry token indices (x[i], Gamma[alpha, i]); an index that is summed over
has no name of its own. Two expressions with the same normal form are equal for all matrices of all sizes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import count, permutations, product
from math import prod
from typing import Any

import numpy as np
import sympy as sp

from theorems.algebra.expressions import normal, symbol, value_at

Word = tuple["Letter", ...]
#: Scalar factors (each a trace of a word, or a 1 x 1 word), then the word itself.
Monomial = tuple[tuple[Word, ...], Word]
Raw = tuple[sp.Expr, tuple[Word, ...], Word]

#: How an index that is summed over is marked, and the names it is shown by.
_BOUND = "#"
_SHOWN = ("i", "j", "k", "l")
_fresh = count()
_normal = lru_cache(maxsize=1 << 12)(normal)


class MatrixError(ValueError):
    """Matrices that do not fit together, or a text that is no matrix formula; the message quotes it."""


@dataclass(frozen=True, order=True)
class Letter:
    """A matrix with named dimensions, or one of its columns, rows or entries.

    ``index`` holds the token index of its rows and of its columns, "" where there is none; a dimension that is
    indexed counts as 1. ``shape`` is what stands in a product, after the transposition.
    """

    name: str
    rows: str
    columns: str
    index: tuple[str, str] = ("", "")
    transposed: bool = False
    shape: tuple[str, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        rows = "1" if self.index[0] else self.rows
        columns = "1" if self.index[1] else self.columns
        object.__setattr__(self, "shape", (columns, rows) if self.transposed else (rows, columns))

    def flipped(self) -> Letter:
        """The transposed letter; a 1 x 1 letter is its own."""
        if self.shape == ("1", "1"):
            return self
        return Letter(self.name, self.rows, self.columns, self.index, not self.transposed)

    def renamed(self, table: Mapping[str, str]) -> Letter:
        """The letter with its indices renamed."""
        if self.index == ("", ""):
            return self
        row, column = (table.get(name, name) for name in self.index)
        return Letter(self.name, self.rows, self.columns, (row, column), self.transposed)

    def __str__(self) -> str:
        places = ", ".join(name for name in self.index if name)
        return self.name + (f"[{places}]" if places else "") + (".T" if self.transposed else "")


def reverse(word: Word) -> Word:
    """The letters of the transposed product."""
    return tuple(letter.flipped() for letter in reversed(word))


def _split(word: Word) -> tuple[list[Word], Word]:
    """The scalar factors of a word, and what is left of it."""
    pieces: list[list[Letter]] = []
    for place, letter in enumerate(word):
        if place == 0 or letter.shape[0] == "1":
            pieces.append([])
        pieces[-1].append(letter)
    scalars, kept = [], []
    for piece in pieces:
        if piece[0].shape[0] == piece[-1].shape[1] == "1":
            scalars.append(tuple(piece))
        else:
            kept.extend(piece)
    return scalars, tuple(kept)


def _cycles(word: Word) -> list[Word]:
    """The trace of a word as canonical cycles: cut at dimensions 1, else the least rotation of it or its transpose."""
    cuts = [place for place, letter in enumerate(word) if letter.shape[0] == "1"]
    if cuts:
        scalars, _ = _split(word[cuts[0] :] + word[: cuts[0]])
        return [min(piece, reverse(piece)) for piece in scalars]
    return [min(turn[k:] + turn[:k] for turn in (word, reverse(word)) for k in range(len(word)))]


def _bound(letters: Iterable[Letter]) -> list[str]:
    return sorted({name for letter in letters for name in letter.index if name.startswith(_BOUND)})


def _canonical(cycles: Iterable[Word], word: Word) -> Monomial:
    """The least form of a product over all names of its summed indices."""
    pieces = (*cycles, word)
    names = dict.fromkeys(n for piece in pieces for letter in piece for n in letter.index if n.startswith(_BOUND))
    table = {name: f"{_BOUND}{place}" for place, name in enumerate(names, 1)}
    *renamed, last = (_renamed(piece, table) if table else piece for piece in pieces)
    return _least(tuple(renamed), last)


@lru_cache(maxsize=1 << 14)
def _least(cycles: tuple[Word, ...], word: Word) -> Monomial:
    scalars, kept = _split(word)
    parts = [piece for cycle in cycles for piece in _cycles(cycle)]
    parts += [min(piece, reverse(piece)) for piece in scalars]
    names = _bound(letter for piece in (*parts, kept) for letter in piece)
    found: list[Monomial] = []
    for order in permutations(range(1, len(names) + 1)):
        table = {name: f"{_BOUND}{place}" for name, place in zip(names, order, strict=True)}
        turned = [_renamed(piece, table) for piece in parts]
        again = sorted(piece for cycle in turned for piece in _cycles(cycle))
        found.append((tuple(again), _renamed(kept, table)))
    return min(found)


class Matrix:
    """A matrix-valued expression in normal form: canonical monomials with coefficients in commuting names.

    ``rows`` and ``columns`` name its dimensions; a 1 x 1 expression is a scalar.
    """

    __slots__ = ("columns", "rows", "terms")

    def __init__(self, rows: str, columns: str, terms: Mapping[Monomial, sp.Expr]) -> None:
        self.rows, self.columns = rows, columns
        self.terms = dict(sorted(terms.items()))

    @staticmethod
    def collected(rows: str, columns: str, raw: Iterable[Raw]) -> Matrix:
        """The normal form of a sum of products, as they come; what cancels is left out."""
        terms: dict[Monomial, sp.Expr] = {}
        for coefficient, cycles, word in raw:
            key = _canonical(cycles, word)
            terms[key] = terms.get(key, sp.Integer(0)) + coefficient
        values = {key: _normal(coefficient) for key, coefficient in terms.items()}
        return Matrix(rows, columns, {key: value for key, value in values.items() if value != 0})

    @staticmethod
    def of(letter: Letter) -> Matrix:
        """One letter."""
        return Matrix.collected(*letter.shape, [(sp.Integer(1), (), (letter,))])

    @staticmethod
    def scalar(value: sp.Expr | int) -> Matrix:
        """A commuting number or name."""
        return Matrix.collected("1", "1", [(sp.sympify(value), (), ())])

    @staticmethod
    def identity(size: str) -> Matrix:
        """The identity matrix of a named dimension."""
        return Matrix.collected(size, size, [(sp.Integer(1), (), ())])

    @property
    def shape(self) -> tuple[str, str]:
        """Names of the dimensions."""
        return self.rows, self.columns

    @property
    def T(self) -> Matrix:
        """The transpose."""
        return Matrix.collected(
            self.columns, self.rows, [(c, key[0], reverse(key[1])) for key, c in self.terms.items()]
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Matrix) and self.shape == other.shape and (self - other).is_zero

    __hash__ = None  # type: ignore[assignment]

    @property
    def is_zero(self) -> bool:
        """Whether nothing is left."""
        return not self.terms

    def letters(self) -> Iterator[Letter]:
        """Every letter that occurs, as often as it does."""
        for cycles, word in self.terms:
            for piece in (*cycles, word):
                yield from piece

    def __add__(self, other: Matrix) -> Matrix:
        if self.shape != other.shape:
            raise MatrixError(f"{self} + {other}: sizes {self.shape} and {other.shape}; expected equal ones")
        raw = [(c, *key) for part in (self, other) for key, c in part.terms.items()]
        return Matrix.collected(self.rows, self.columns, raw)

    def __neg__(self) -> Matrix:
        return self * -1

    def __sub__(self, other: Matrix) -> Matrix:
        return self + -other

    def __mul__(self, other: Matrix | sp.Expr | int) -> Matrix:
        """The product; a 1 x 1 factor multiplies anything."""
        if not isinstance(other, Matrix):
            return Matrix.collected(*self.shape, [(c * sp.sympify(other), *key) for key, c in self.terms.items()])
        left, right = self._apart(), other._apart()
        pairs = [(c * e, f, g, h, k) for (f, g), c in left for (h, k), e in right]
        if self.shape == ("1", "1") or other.shape == ("1", "1"):
            shape = other.shape if self.shape == ("1", "1") else self.shape
            return Matrix.collected(*shape, [(c, (*f, *h), (*g, *k)) for c, f, g, h, k in pairs])
        if self.columns != other.rows:
            raise MatrixError(f"({self})*({other}): sizes {self.shape} and {other.shape} do not fit")
        return Matrix.collected(self.rows, other.columns, [(c, (*f, *h), (*g, *k)) for c, f, g, h, k in pairs])

    def __rmul__(self, other: sp.Expr | int) -> Matrix:
        return self * other

    def __pow__(self, exponent: int) -> Matrix:
        if self.shape != ("1", "1") or exponent < 0:
            raise MatrixError(f"({self})**{exponent}; expected a scalar and an integer >= 0")
        value = Matrix.scalar(1)
        for _ in range(exponent):
            value = value * self
        return value

    def _apart(self) -> list[tuple[Monomial, sp.Expr]]:
        """The terms, with names for the summed indices that no other factor has."""
        found = []
        for (cycles, word), coefficient in self.terms.items():
            names = _bound(letter for piece in (*cycles, word) for letter in piece)
            table = {name: f"{_BOUND}{next(_fresh)}'" for name in names}
            key = (tuple(_renamed(piece, table) for piece in cycles), _renamed(word, table))
            found.append((key, coefficient))
        return found

    def trace(self) -> Matrix:
        """The trace; that of the identity is the name of its size."""
        if self.rows != self.columns:
            raise MatrixError(f"tr({self}) of size {self.shape}; expected a square matrix")
        if self.rows == "1":
            return self
        raw = [
            (c if word else c * symbol(self.rows), (*cycles, word) if word else cycles, ())
            for (cycles, word), c in self.terms.items()
        ]
        return Matrix.collected("1", "1", raw)

    def summed(self, names: Iterable[str]) -> Matrix:
        """The sum over token indices by name; one that does not occur counts the tokens, T times."""
        wanted = list(names)
        raw = []
        for (cycles, word), c in self.terms.items():
            there = {name for piece in (*cycles, word) for letter in piece for name in letter.index}
            table = {name: f"{_BOUND}{next(_fresh)}'" for name in wanted}
            idle = sum(name not in there for name in wanted)
            pieces = tuple(_renamed(piece, table) for piece in cycles)
            raw.append((c * symbol("T") ** idle, pieces, _renamed(word, table)))
        return Matrix.collected(self.rows, self.columns, raw)

    def substitute(self, table: Mapping[str, Matrix]) -> Matrix:
        """The expression with whole letters replaced by expressions of their size."""
        for letter in self.letters():
            if letter.name in table and letter.index == ("", ""):
                wanted, given = (letter.rows, letter.columns), table[letter.name].shape
                if wanted != given:
                    raise MatrixError(f"{letter.name} has the size {wanted}; {table[letter.name]} has {given}")
        raw: list[Raw] = []
        for (cycles, word), coefficient in self.terms.items():
            pieces = [*cycles, word]
            for choice in product(*(_choices(letter, table) for piece in pieces for letter in piece)):
                slots = iter(choice)
                value, scalars = coefficient, []
                built = []
                for piece in pieces:
                    letters: list[Letter] = []
                    for _ in piece:
                        factor, more, inner = next(slots)
                        value = value * factor
                        scalars += more
                        letters += inner
                    built.append(tuple(letters))
                for piece, now in zip(cycles, built, strict=False):
                    if now:
                        scalars.append(now)
                    else:
                        # all letters of this trace became identities
                        size = piece[0].shape[0]
                        value = value * (1 if size == "1" else symbol(size))
                raw.append((value, tuple(scalars), built[-1]))
        return Matrix.collected(self.rows, self.columns, raw)

    def gradient(self, name: str) -> Matrix:
        """The matrix G with d f = tr(G^T dW) for a scalar f and a letter W: every occurrence in a trace is opened.

        tr(U W V) gives (V U)^T and tr(U W^T V) gives V U. Raises MatrixError for a matrix-valued f.
        """
        if self.shape != ("1", "1"):
            raise MatrixError(f"the gradient of {self}, of size {self.shape}; expected a scalar")
        sizes = {(letter.rows, letter.columns) for letter in self.letters() if letter.name == name}
        if len(sizes) > 1 or any(letter.index != ("", "") for letter in self.letters() if letter.name == name):
            raise MatrixError(f"{name} occurs in {self} as more than one matrix; give each a name of its own")
        if not sizes:
            raise MatrixError(f"{name} does not occur in {self}, so the size of the gradient is unknown")
        (size,) = sizes
        raw: list[Raw] = []
        for (cycles, _), coefficient in self.terms.items():
            for which, cycle in enumerate(cycles):
                others = (*cycles[:which], *cycles[which + 1 :])
                for place, letter in enumerate(cycle):
                    if letter.name == name:
                        around = cycle[place + 1 :] + cycle[:place]
                        raw.append((coefficient, others, around if letter.transposed else reverse(around)))
        return Matrix.collected(*size, raw)

    def linear_part(self, name: str) -> Matrix:
        """The terms in which a letter occurs exactly once."""
        return self.part({name: 1})

    def part(self, degrees: Mapping[str, int]) -> Matrix:
        """The terms in which each of these letters occurs as often as stated."""
        kept = {
            key: c
            for key, c in self.terms.items()
            if all(
                sum(letter.name == name for piece in (*key[0], key[1]) for letter in piece) == degree
                for name, degree in degrees.items()
            )
        }
        return Matrix(self.rows, self.columns, kept)

    def in_columns(self, entries: Mapping[str, str], dimension: str = "T") -> Matrix:
        """A B = sum_i A_i B^i wherever the factors meet in a dimension: columns, rows and entries in place of matrices.

        ``entries`` gives the name of a matrix's columns or entries: {"X": "x"}.
        """
        if dimension in self.shape:
            raise MatrixError(f"{self} of size {self.shape} has {dimension} outside; expected it inside products only")
        raw: list[Raw] = []
        for (cycles, word), coefficient in self.terms.items():
            raw.append(
                (coefficient, tuple(_cut(c, entries, dimension) for c in cycles), _cut(word, entries, dimension))
            )
        return Matrix.collected(self.rows, self.columns, raw)

    def by_word(self, names: Mapping[str, Matrix] | None = None) -> dict[Monomial, sp.Expr]:
        """The factor of every word, a polynomial in traces: those with a name by that name, others by their text.

        Scalar factors that share a summed index with the word stay with it.
        """
        known = {key[0][0]: symbol(name) for name, value in (names or {}).items() for key in value.terms}
        found: dict[Monomial, sp.Expr] = {}
        for (cycles, word), coefficient in self.terms.items():
            tied = tuple(c for c in cycles if _bound(c))
            free = [c for c in cycles if not _bound(c)]
            value = coefficient * sp.Mul(*(known.get(c, symbol(_scalar_text(c))) for c in free))
            key = (tied, word)
            found[key] = sp.expand(found.get(key, sp.Integer(0)) + value)
        return {key: value for key, value in found.items() if value != 0}

    def __str__(self) -> str:
        texts = [_term_text(key, c, self.rows != "1") for key, c in self.terms.items()]
        return " + ".join(texts).replace("+ -", "- ") or "0"

    __repr__ = __str__


def _renamed(word: Word, table: Mapping[str, str]) -> Word:
    return tuple(letter.renamed(table) for letter in word)


def _choices(letter: Letter, table: Mapping[str, Matrix]) -> list[tuple[sp.Expr, list[Word], Word]]:
    """What may stand in the place of a letter: itself, or a term of the expression put in for it."""
    value = table.get(letter.name) if letter.index == ("", "") else None
    if value is None:
        return [(sp.Integer(1), [], (letter,))]
    return [(c, list(cycles), reverse(word) if letter.transposed else word) for (cycles, word), c in value._apart()]


def _cut(word: Word, entries: Mapping[str, str], dimension: str) -> Word:
    """A word or cycle with an index of its own in every place where two letters meet in the dimension."""
    if not any(dimension in letter.shape for letter in word):
        return word
    # a cycle closes where it began, so the index before its first letter is the one after its last
    marks = [f"{_BOUND}{next(_fresh)}'" if letter.shape[0] == dimension else "" for letter in word]
    marks.append(marks[0])
    found = []
    for place, letter in enumerate(word):
        if dimension not in letter.shape:
            found.append(letter)
            continue
        if letter.name not in entries or letter.index != ("", ""):
            raise MatrixError(f"{letter} has no name for its columns or entries; name them, e.g. X: x")
        left, right = marks[place], marks[place + 1]
        row, column = (right, left) if letter.transposed else (left, right)
        index = (row if letter.rows == dimension else "", column if letter.columns == dimension else "")
        cut = Letter(entries[letter.name], letter.rows, letter.columns, index, letter.transposed)
        found.append(cut if cut.shape != ("1", "1") else Letter(cut.name, cut.rows, cut.columns, index))
    return tuple(found)


def _scalar_text(cycle: Word) -> str:
    inside = "*".join(str(letter) for letter in cycle)
    if cycle[0].shape[0] != "1":
        return f"tr({inside})"
    return inside if len(cycle) == 1 else f"({inside})"


def word_text(key: Monomial, matrix: bool = True) -> str:
    """A monomial as a text that ``Alphabet.read`` reads back: Sum(i, (x[i].T*y)*x[i])."""
    cycles, word = key
    names = _bound(letter for piece in (*cycles, word) for letter in piece)
    shown = {name: _SHOWN[k] if k < len(_SHOWN) else f"i{k + 1}" for k, name in enumerate(names)}
    parts = [_scalar_text(_renamed(cycle, shown)) for cycle in cycles]
    parts += [str(letter) for letter in _renamed(word, shown)]
    if not parts or (matrix and not word):
        parts.append("I" if matrix else "1")
    body = "*".join(parts)
    return f"Sum({', '.join(shown.values())}, {body})" if names else body


def _term_text(key: Monomial, coefficient: sp.Expr, matrix: bool) -> str:
    body = word_text(key, matrix)
    if coefficient in (1, -1) and body != "1":
        return body if coefficient == 1 else f"-{body}"
    factor = f"({coefficient})" if coefficient.is_Add else str(coefficient)
    return factor if body == "1" else f"{factor}*{body}"


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
        loose = {name for letter in found.letters() for name in letter.index if name and not name.startswith(_BOUND)}
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


def evaluate(
    expression: Matrix,
    arrays: Mapping[str, Any],
    numbers: Mapping[str, Fraction],
    places: Mapping[str, int] | None = None,
) -> Any:
    """The value at given matrices: an array of Fractions where the arrays hold them, (1, 1) for a scalar.

    ``arrays`` are two-dimensional, by letter, a vector being n x 1, and the columns or entries of a matrix under their
    own name; ``numbers`` are the commuting names and, where needed, sizes; ``places`` the fixed indices, from 0.
    """
    total: Any = None
    fixed = places or {}
    for (cycles, word), coefficient in expression.terms.items():
        value = value_at(coefficient, numbers)
        number = Fraction(int(value.p), int(value.q))
        operands: list[Operand] = []
        fresh = count()
        axes: dict[str, int] = {}
        ends: list[int] = []
        for place, piece in enumerate((*cycles, word)):
            marks = [next(fresh) for _ in range(len(piece) + 1)]
            if place == len(cycles):
                ends = [marks[0], marks[-1]]
            else:
                marks[-1] = marks[0]
            for at, letter in enumerate(piece):
                sides = (marks[at + 1], marks[at]) if letter.transposed else (marks[at], marks[at + 1])
                array = np.asarray(arrays[letter.name])
                labels: list[int] = []
                for axis, name in enumerate(letter.index):
                    if name in fixed:
                        # a fixed token leaves a side of size 1
                        array = array.take([fixed[name]], axis=axis)
                    summed = name and name not in fixed
                    labels.append(axes.setdefault(name, next(fresh)) if summed else sides[axis])
                operands.append((array, tuple(labels)))
        part = _contracted(operands, ends) if word else _contracted(operands, [])[()] * _unit(expression, numbers)
        total = part * number if total is None else total + part * number
    if total is None:
        sizes = [int(numbers.get(size, 1)) for size in expression.shape]
        return np.full(sizes, Fraction(0), dtype=object)
    return total


Operand = tuple[Any, tuple[int, ...]]


def _contracted(operands: list[Operand], ends: list[int]) -> Any:
    """The product of labelled arrays, summed over every label that is no end; a missing end is a side of size 1."""
    left = list(operands)
    while len(left) > 1:
        pairs = ((one, two) for one in range(len(left)) for two in range(one))
        one, two = min(pairs, key=lambda pair: _cost(left[pair[0]], left[pair[1]]))
        first, second = left.pop(one), left.pop(two)
        needed = {*ends, *(label for _, labels in left for label in labels)}
        left.append(_product(first, second, needed))
    unit: Operand = (np.array(Fraction(1), dtype=object), ())
    array, labels = _product(left[0] if left else unit, unit, set(ends))
    kept = [label for label in ends if label in labels]
    array = array.transpose([labels.index(label) for label in kept])
    return array.reshape([array.shape[kept.index(label)] if label in kept else 1 for label in ends])


def _cost(one: Operand, two: Operand) -> tuple[bool, int]:
    """How large the product of two arrays is before it is summed; arrays without a common label come last."""
    sizes = {label: size for array, labels in (one, two) for label, size in zip(labels, array.shape, strict=True)}
    return not set(one[1]) & set(two[1]), prod(sizes.values())


def _product(one: Operand, two: Operand, needed: set[int]) -> Operand:
    """The product of two labelled arrays, summed over the labels that nobody else needs."""
    labels = tuple(dict.fromkeys((*one[1], *two[1])))
    # numpy hands out the bare object where no axis is left
    whole = np.asarray(_spread(one, labels) * _spread(two, labels))
    gone = tuple(axis for axis, label in enumerate(labels) if label not in needed)
    found = np.asarray(whole.sum(axis=gone)) if gone else whole
    return found, tuple(label for label in labels if label in needed)


def _spread(operand: Operand, labels: tuple[int, ...]) -> Any:
    """An array with one axis for each of the labels, of size 1 where it has none; a repeated label is a diagonal."""
    array, own = operand
    while len(set(own)) < len(own):
        label = next(label for label in own if own.count(label) > 1)
        first, second = (axis for axis, other in enumerate(own) if other == label)
        array = array.diagonal(axis1=first, axis2=second)
        own = (*(other for other in own if other != label), label)
    array = array.transpose([own.index(label) for label in labels if label in own])
    sizes = iter(array.shape)
    return array.reshape([next(sizes) if label in own else 1 for label in labels])


def _unit(expression: Matrix, numbers: Mapping[str, Fraction]) -> Any:
    if expression.shape == ("1", "1"):
        return np.full((1, 1), Fraction(1), dtype=object)
    size = int(numbers[expression.rows])
    return np.array([[Fraction(int(r == c)) for c in range(size)] for r in range(size)], dtype=object)


def differential(function: Matrix, name: str, direction: str) -> Matrix:
    """The part of f(W + E) that is linear in E, for the letter E = ``direction`` of W's size."""
    sizes = {(letter.rows, letter.columns) for letter in function.letters() if letter.name == name}
    if len(sizes) != 1 or any(letter.name == direction for letter in function.letters()):
        raise MatrixError(f"no direction {direction} from {name} in {function}")
    ((rows, columns),) = sizes
    moved = Matrix.of(Letter(name, rows, columns)) + Matrix.of(Letter(direction, rows, columns))
    return function.substitute({name: moved}).linear_part(direction)
