"""Matrices of any size: sums of products of letters, their traces and derivatives, with equality by normal form.

A word is a product of letters, each with its dimensions by name ("d", "T", "1"); a scalar is a product of traces of
words. A factor between two dimensions "1" is a scalar, so it is moved out of its word, and a trace is kept up to
rotation and transposition. Letters may carry token indices (x[i], Gamma[alpha, i]); an index that is summed over
has no name of its own. Two expressions with the same normal form are equal for all matrices of all sizes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count, permutations, product

import sympy as sp

from theorems.algebra.expressions import normal, symbol

Word = tuple["Letter", ...]
#: Scalar factors (each a trace of a word, or a 1 x 1 word), then the word itself.
Monomial = tuple[tuple[Word, ...], Word]
Raw = tuple[sp.Expr, tuple[Word, ...], Word]

#: How an index that is summed over is marked, and the names it is shown by.
BOUND = "#"
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
    return sorted({name for letter in letters for name in letter.index if name.startswith(BOUND)})


def _canonical(cycles: Iterable[Word], word: Word) -> Monomial:
    """The least form of a product over all names of its summed indices."""
    pieces = (*cycles, word)
    names = dict.fromkeys(n for piece in pieces for letter in piece for n in letter.index if n.startswith(BOUND))
    table = {name: f"{BOUND}{place}" for place, name in enumerate(names, 1)}
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
        table = {name: f"{BOUND}{place}" for name, place in zip(names, order, strict=True)}
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
            table = {name: f"{BOUND}{next(_fresh)}'" for name in names}
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
            table = {name: f"{BOUND}{next(_fresh)}'" for name in wanted}
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

    def in_columns(self, entries: Mapping[str, str]) -> Matrix:
        """A B = sum_i A_i B^i wherever the factors meet in T: columns, rows and entries in place of matrices.

        ``entries`` gives the name of a matrix's columns or entries: {"X": "x"}.
        """
        if "T" in self.shape:
            raise MatrixError(f"{self} of size {self.shape} has T outside; expected it inside products only")
        raw: list[Raw] = [
            (coefficient, tuple(_cut(c, entries) for c in cycles), _cut(word, entries))
            for (cycles, word), coefficient in self.terms.items()
        ]
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


def _cut(word: Word, entries: Mapping[str, str]) -> Word:
    """A word or cycle with an index of its own in every place where two letters meet in T."""
    if not any("T" in letter.shape for letter in word):
        return word
    # a cycle closes where it began, so the index before its first letter is the one after its last
    marks = [f"{BOUND}{next(_fresh)}'" if letter.shape[0] == "T" else "" for letter in word]
    marks.append(marks[0])
    found = []
    for place, letter in enumerate(word):
        if "T" not in letter.shape:
            found.append(letter)
            continue
        if letter.name not in entries or letter.index != ("", ""):
            raise MatrixError(f"{letter} has no name for its columns or entries; name them, e.g. X: x")
        left, right = marks[place], marks[place + 1]
        row, column = (right, left) if letter.transposed else (left, right)
        index = (row if letter.rows == "T" else "", column if letter.columns == "T" else "")
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
