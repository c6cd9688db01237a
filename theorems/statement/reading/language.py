"""Reading a statement: text to an expression, nothing evaluated, every error with its place and the mend."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from math import prod

from theorems.statement.expression import MOMENTS, Expr, StatementError, coefficients, number
from theorems.statement.reading import notation
from theorems.statement.reading.calls import CALLS, READ, plain_call
from theorems.statement.reading.chances import chance
from theorems.statement.reading.syntax import check_brackets, counted, nearest, reason

#: Longest text that is read, deepest nesting, largest exponent and longest number.
MAX_LENGTH, MAX_DEPTH, MAX_EXPONENT, MAX_DIGITS = 4_000, 60, 64, 40
#: Longest number that a power of numbers may be.
MAX_BITS = 4_096
#: Functions whose names are letters too.
LETTERS = ("gamma",)
#: A family whose definition has one of these stands written out.
_WRITTEN_OUT = ("token", "mean", "column", "columns", "grad", "at")
#: What has a transpose.
_UPRIGHT = ("token", "mean", "vector", "family", "member", "matrix", "T")
#: Most operations of a side, definitions put in.
MAX_NODES = 20_000
_OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}
_COMPARISONS = {ast.LtE: "<=", ast.GtE: ">=", ast.Lt: "<", ast.Gt: ">", ast.Eq: "=", ast.NotEq: "!="}


@dataclass(frozen=True)
class Vocabulary:
    """What names stand for: matrices, fixed vectors, and sequences (``s in R^n``, or s[i] defined by ``where``).

    ``sequences`` maps those of hypotheses to their sizes, ``families`` families of vectors to their first indices;
    ``several`` are definitions of several indices, ``entire`` the names of power series.
    """

    matrices: frozenset[str] = frozenset({"W", "Sigma", "I"})
    vectors: frozenset[str] = frozenset()
    sequences: Mapping[str, str] = field(default_factory=dict)
    definitions: Mapping[str, tuple[str, Expr]] = field(default_factory=dict)
    values: Mapping[str, Expr] = field(default_factory=dict)
    families: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    several: Mapping[str, tuple[tuple[str, ...], Expr]] = field(default_factory=dict)
    entire: frozenset[str] = frozenset()


def parsed(text: str, words: Vocabulary | None = None, whole: str = "", column: int = 0) -> Expr:
    """The expression that a text states; StatementError points at what cannot be read.

    Where the text is a part of a ``whole``, beginning at ``column``, places are those in the whole.
    """
    try:
        return _parsed(text, words or Vocabulary(), column)
    except StatementError as error:
        raise StatementError(str(error), whole or text, column + max(error.at, 0)) from None


def _parsed(text: str, vocabulary: Vocabulary, column: int) -> Expr:
    if len(text) > MAX_LENGTH:
        raise StatementError(f"a statement of {len(text)} characters; expected at most {MAX_LENGTH}")
    if (bad := next((k for k, c in enumerate(text) if not (c.isascii() and (c.isprintable() or c == " "))), -1)) >= 0:
        raise StatementError(f"{text[bad]!r} is no character of a statement; write plain ASCII", text, bad)
    source, columns = _with_powers(text)
    if not source.strip():
        raise StatementError("nothing stands here; expected an expression such as E[x[i].T*W*x[j]]", text, 0)
    lead = len(source) - len(source.lstrip())
    try:
        tree = ast.parse(source.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        # by what Python's parser stops at depth is another matter in each of its versions
        if not isinstance(error, SyntaxError) or "too many nested" in str(error):
            raise StatementError("nested too deeply; write it with definitions (--where)", text, 0) from None
        place = columns[min(lead + max((error.offset or 1) - 1, 0), len(columns) - 1)]
        check_brackets(text)
        raise StatementError(reason(text, place)[0], text, reason(text, place)[1]) from None
    return _Reader(text, columns, lead, vocabulary, column).build(tree, 0)


def _with_powers(text: str) -> tuple[str, list[int]]:
    """The text with ^ written ** and = written ==, and the column in the text of every character."""
    source, columns = [], []
    for place, character in enumerate(text):
        alone = character == "=" and not {*text[max(place - 1, 0) : place], *text[place + 1 : place + 2]} & set("<>=!")
        for piece in "**" if character == "^" else "==" if alone else character:
            source.append(piece)
            columns.append(place)
    return "".join(source), [*columns, len(text)]


class _Reader:
    """Builds an expression from Python's syntax tree; whatever is no part of the language is refused.

    What stands for a definition is the definition's own tree, so that both sides share it.
    """

    def __init__(self, text: str, columns: list[int], lead: int, words: Vocabulary, first: int) -> None:
        self.text, self.columns, self.lead, self.words, self.first = text, columns, lead, words, first
        self.nodes = 0

    def place(self, node: ast.expr) -> int:
        """The column of a node in the text as it was written."""
        return self.columns[min(self.lead + node.col_offset, len(self.columns) - 1)]

    def fail(self, message: str, node: ast.expr) -> StatementError:
        """An error that points at a node."""
        return StatementError(message, self.text, self.place(node))

    def put_in(self, body: Expr, node: ast.expr) -> Expr:
        """What a definition stands for; StatementError where definitions of definitions grow without end."""
        self.nodes += sum(1 for _ in body.walk())
        if self.nodes > MAX_NODES:
            raise self.fail(f"with its definitions put in, this has over {MAX_NODES} operations; define less", node)
        return body

    def build(self, node: ast.expr, depth: int) -> Expr:
        """The expression of a node."""
        if depth > MAX_DEPTH:
            raise self.fail(f"nested over {MAX_DEPTH} deep; write it with definitions (--where)", node)
        at = self.first + self.place(node)
        found = self._read(node, depth + 1)
        return Expr(found.op, found.args, at)

    def _read(self, node: ast.expr, depth: int) -> Expr:
        if isinstance(node, ast.Constant):
            return self._number(node)
        if isinstance(node, ast.Name):
            return self._name(node)
        if isinstance(node, ast.Attribute):
            return self._transpose(node, depth)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            inner = self.build(node.operand, depth)
            if isinstance(node.op, ast.UAdd):
                return inner
            value = inner.args[0] if inner.op == "number" else None
            return number(-value) if value is not None else Expr("*", (number(-1), inner))
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            return self._binary(node, depth)
        if isinstance(node, ast.Subscript):
            return self._subscript(node, depth)
        if isinstance(node, ast.Call):
            return self._call(node, depth)
        if isinstance(node, ast.Compare):
            return self._relations(node, depth)
        if isinstance(node, ast.BoolOp):
            if isinstance(node.op, ast.Or):
                raise self.fail("or is not read; check what it joins one by one", node)
            raise self.fail("and joins whole conditions; of events write E[indicator(a > 0)*indicator(b > 0)]", node)
        raise self.fail(
            f"{ast.unparse(node)[:40]!r} is not read; expected names, numbers, + - * / ^, calls and moments",
            node,
        )

    def _relations(self, node: ast.Compare, depth: int) -> Expr:
        """a < b, or a chain a <= b <= c."""
        if any(type(mark) not in _COMPARISONS for mark in node.ops):
            raise self.fail(f"{ast.unparse(node)[:40]!r} is no comparison; expected e.g. P[x[i].T*W*x[j] > 0]", node)
        sides = [self.build(side, depth) for side in (node.left, *node.comparators)]
        marks = [_COMPARISONS[type(mark)] for mark in node.ops]
        found = [Expr("relation", (mark, *pair)) for mark, pair in zip(marks, pairwise(sides), strict=True)]
        return found[0] if len(found) == 1 else Expr("and", tuple(found))

    def _number(self, node: ast.Constant) -> Expr:
        value = node.value
        # the syntax tree counts columns in the source without its lead, and with ^ written **
        end = self.columns[min(self.lead + (node.end_col_offset or 0), len(self.columns) - 1)]
        literal = self.text[self.place(node) : end]
        if type(value) not in (int, float):
            raise self.fail(f"{literal[:40]!r} is no number; expected an integer or a fraction such as 7/12", node)
        if len(str(value)) > MAX_DIGITS or value == float("inf"):
            raise self.fail(
                f"{literal[:40]!r} has over {MAX_DIGITS} digits; write a large number as a power, 10**60", node
            )
        if isinstance(value, float):
            return number(Fraction(literal))
        assert isinstance(value, int)
        return number(value)

    def _name(self, node: ast.Name) -> Expr:
        label, words = node.id, self.words
        if label.startswith("_"):
            raise self.fail(f"{label} begins with _; write a letter first, e.g. {label.strip('_') or 'a'}", node)
        if label in words.values:
            return self.put_in(words.values[label], node)
        if label in words.matrices:
            return Expr("matrix", (label,))
        if label in words.vectors:
            return Expr("vector", (label,))
        if label in words.definitions and words.definitions[label][1].has(*_WRITTEN_OUT):
            # where tokens occur all that reads a statement sees them; the others are what walks do not enter
            index, body = words.definitions[label]
            return Expr("stack", (body, index, number(1), Expr("name", ("T",))))
        if label in words.sequences or label in words.definitions:
            return Expr("family", (label,))
        if label == "pi":
            return Expr("pi")
        if label in words.families or label in words.several:
            raise self.fail(f"{label} is a family; take one of it, e.g. {label}[1]", node)
        if label in words.entire:
            raise self.fail(f"{label} is a power series; write {label}(...), or {label}[0] for a coefficient", node)
        if label.startswith("x_"):
            raise self.fail(f"{label} is no name; write x[{label[2:] or 'i'}] for a token", node)
        if label == "x":
            raise self.fail("x without a position; write x[i], or mean(x) for the mean of all tokens", node)
        if label in MOMENTS:
            raise self.fail(f"{label} without brackets; write e.g. {label}[x[i].T*W*x[j]]", node)
        if label in CALLS and label not in LETTERS:
            raise self.fail(f"{label} is a function; write {label}(...)", node)
        return Expr("name", (label,))

    def _transpose(self, node: ast.Attribute, depth: int) -> Expr:
        if node.attr != "T":
            raise self.fail(f".{node.attr} is unknown; write .T for the transpose, inv(...) for the inverse", node)
        inner = self.build(node.value, depth)
        return inner.args[0] if inner.op == "T" else Expr("T", (inner,))

    def _binary(self, node: ast.BinOp, depth: int) -> Expr:
        # a long sum leans to the left, however flat it is to a reader
        chain = [node]
        while isinstance(inner := chain[-1].left, ast.BinOp) and type(inner.op) in (ast.Add, ast.Sub, ast.Mult):
            chain.append(inner)
        found = self.build(chain[-1].left, depth)
        for part in reversed(chain):
            found = self._combined(part, found, self.build(part.right, depth))
            found = Expr(found.op, found.args, self.place(part))
        return found

    def _combined(self, node: ast.BinOp, left: Expr, right: Expr) -> Expr:
        operation = _OPERATORS[type(node.op)]
        if operation == "-":
            return _joined("+", left, Expr("*", (number(-1), right), right.at))
        if operation in "+*" and operation != "**":
            return _joined(operation, left, right)
        if operation == "/":
            if right == number(0):
                raise self.fail("division by 0; expected another denominator", node.right)
            if left.op == right.op == "number":
                return number(left.args[0] / right.args[0])
            return Expr("/", (left, right))
        if left.op in _UPRIGHT and right in (Expr("name", ("T",)), number(-1)):
            mend = f"write {left}.T" if right.op == "name" else f"write inv({left})"
            raise self.fail(f"{left}^{right} is not read: {mend}", node)
        power, base = _constant(right), _constant(left)
        if power is not None and abs(power) > MAX_EXPONENT:
            raise self.fail(f"the exponent {str(right)[:40]} is over {MAX_EXPONENT}; write a smaller power", node.right)
        if power is not None and base is not None and abs(power) * _bits(base) > MAX_BITS:
            raise self.fail(f"{str(left)[:40]}^{right} has over {MAX_BITS} bits; write a smaller power", node)
        return Expr("**", (left, right))

    def _subscript(self, node: ast.Subscript, depth: int) -> Expr:
        inside = node.slice
        parts = list(inside.elts) if isinstance(inside, ast.Tuple) else [inside]
        head = node.value.id if isinstance(node.value, ast.Name) else ""
        if head in MOMENTS:
            if head == "Cov" and len(parts) == 1:
                # the covariance matrix of a vector
                parts *= 2
            if len(parts) != MOMENTS[head]:
                form = "a, b" if MOMENTS[head] == 2 else "a"
                raise self.fail(f"{head}[...] of {counted(len(parts), 'number')}; expected {head}[{form}]", node)
            inner = tuple(self.build(part, depth) for part in parts)
            if any(part.has("normal") for part in inner):
                return chance(head, inner[0], self.text, self.place(node))
            return Expr(head, inner)
        if head in self.words.families or head in self.words.several:
            return self._member(head, [self.build(part, depth) for part in parts], node)
        if head == "x" and head not in self.words.definitions and len(parts) > 1:
            raise self.fail(f"x[...] at {counted(len(parts), 'place')}; expected one position, x[i]", node)
        if len(parts) == 2:
            return Expr("element", (self.build(node.value, depth), *(self.build(part, depth) for part in parts)))
        if len(parts) != 1:
            told = f"[...] at {counted(len(parts), 'place')}"
            raise self.fail(f"{told}; expected one, s[i], or the row and the column of a matrix, W[i, j]", node)
        index = self.build(parts[0], depth)
        if head in self.words.entire:
            known = dict(enumerate(coefficients(head)))
            place = index.args[0] if index.op == "number" else None
            if place not in known:
                raise self.fail(f"{head}[{index}]; of coefficients expected {head}[0] to {head}[{max(known)}]", node)
            return Expr("name", (known[place],))
        if head == "x" and head not in self.words.definitions:
            if _outside(index):
                raise self.fail(f"x[{index}] is no token; expected a position from 1 to T", parts[0])
            return Expr("token", (index,))
        if head in self.words.definitions:
            variable, body = self.words.definitions[head]
            return self.put_in(body, node).put({variable: index})
        if head in self.words.sequences:
            return Expr("entry", (head, index))
        if head in self.words.values or head in self.words.vectors:
            return Expr("entry", (self._name(node.value), index))  # type: ignore[arg-type]
        if head in notation.SYNONYMS:
            raise self.fail(f"{head}[...] is not read: {notation.SYNONYMS[head]}", node)
        if head:
            raise self.fail(self._without_entries(head), node)
        return Expr("entry", (self.build(node.value, depth), index))

    def _without_entries(self, head: str) -> str:
        """Why one place in square brackets says nothing after a name, and what does."""
        if head in self.words.matrices:
            return f"{head}[...] at 1 place; expected a row and a column, {head}[i, j], or column({head}, j)"
        near = nearest(head, (*MOMENTS, "x", *self.words.definitions, *self.words.sequences))
        declared = f"say what it is with --for, e.g. {head} in R^n, or with --where"
        return f"{head}[...] is unknown{near}; expected a token x[i], or one of {', '.join(MOMENTS)}; else {declared}"

    def _member(self, head: str, indices: list[Expr], node: ast.expr) -> Expr:
        """A vector of a family, or what a definition of several indices says of these."""
        names, body = self.words.several.get(head, ((), None))
        firsts = self.words.families.get(head, ())
        wanted = len(names) if body is not None else len(firsts)
        if len(indices) != wanted:
            told = counted(len(indices), "place")
            raise self.fail(f"{head}[...] at {told}; expected {head}[{', '.join('jklmnpq'[:wanted])}]", node)
        if body is not None:
            return body.put(dict(zip(names, indices, strict=True)))
        return Expr("member", (head, ",".join(map(str, firsts)), *indices))

    def _call(self, node: ast.Call, depth: int) -> Expr:
        head = node.func.id if isinstance(node.func, ast.Name) else ""
        if node.keywords or any(isinstance(arg, ast.Starred) for arg in node.args):
            raise self.fail("arguments have no names and no stars; expected expressions, == in comparisons", node)
        if head in MOMENTS:
            raise self.fail(f"{head}(...) of a moment; write {head}[...]", node)
        if head in LETTERS and (head in self.words.definitions or head in self.words.values):
            raise self.fail(f"{head} is defined here, so that {head}(...) has two readings; take another name", node)
        if head in self.words.entire:
            return Expr("entire", (head, *plain_call(self, head, node, depth).args))
        if head not in CALLS:
            if head in notation.SYNONYMS:
                raise self.fail(f"{head}(...) is not read: {notation.SYNONYMS[head]}", node)
            near, told = nearest(head, (*CALLS, *MOMENTS)), head or f"({ast.unparse(node.func)[:20]})"
            raise self.fail(f"{told}(...) is unknown{near or f'; write {told}*(...) for a product'}", node)
        return READ.get(head, plain_call)(self, head, node, depth)


def _constant(node: Expr) -> Fraction | None:
    """The value of an expression in numbers alone; None for any other, and for a root."""
    if node.op == "number":
        return Fraction(node.args[0])
    if node.op not in ("+", "*", "/", "**"):
        return None
    values = [_constant(arg) for arg in node]
    if any(value is None for value in values):
        return None
    known = [value for value in values if value is not None]
    if node.op == "+":
        return sum(known, Fraction(0))
    if node.op == "*":
        return prod(known, start=Fraction(1))
    one, two = known
    if (node.op == "/" and two == 0) or (node.op == "**" and (two.denominator != 1 or (one == 0 and two < 0))):
        return None
    return one / two if node.op == "/" else Fraction(one ** int(two))


def _outside(index: Expr) -> bool:
    """Whether a position is below 1, or beyond the token after the last, whatever the hypotheses are."""
    if index.op == "number":
        return bool(index.args[0].denominator == 1 and index.args[0] < 1)
    later = index.op == "+" and Expr("name", ("T",)) in index.args
    return later and all(arg.op == "number" and arg.args[0] > 1 for arg in index.args if arg.op != "name")


def _bits(value: Fraction) -> int:
    return value.numerator.bit_length() + value.denominator.bit_length() - 1


def _joined(operation: str, left: Expr, right: Expr) -> Expr:
    """A sum or product with nested ones flattened."""
    parts = (*(left.args if left.op == operation else (left,)), *(right.args if right.op == operation else (right,)))
    return Expr(operation, parts)
