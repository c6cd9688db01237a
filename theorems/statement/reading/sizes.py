"""Sizes of expressions by name, d x d or m x d: whether products and sums fit for every d and every m."""

from __future__ import annotations

from fractions import Fraction

from theorems.statement.expression import HALF_LINE, SUMS, TRUTHS, Expr, StatementError
from theorems.statement.reading.hypotheses import Hypotheses
from theorems.statement.reading.shapes import shape

Size = tuple[str, str]
NUMBER: Size = ("1", "1")


def size(node: Expr, known: Hypotheses, text: str = "") -> Size:
    """Rows and columns, ("1", "1") of a number; StatementError where sizes do not fit, at the place where."""
    return _Sizes(known, text).of(node)


def told(found: Size) -> str:
    """A size in words: a number, a vector of length n, an m x d matrix."""
    rows, columns = found
    if found == NUMBER:
        return "a number"
    if "1" in found:
        return f"a row of length {columns}" if rows == "1" else f"a vector of length {rows}"
    return f"{rows} x {columns}"


#: What is a number whatever is in it, or true or false.
_NUMBERS = (*TRUTHS, *HALF_LINE, "series", "integral", "least", "dist", "largest", "smallest", "unknown", "indicator")


class _Sizes:
    def __init__(self, known: Hypotheses, text: str) -> None:
        self.known, self.text = known, text

    def of(self, node: Expr) -> Size:
        op, args = node.op, node.args
        if op in ("token", "mean", "vector"):
            return self._named("d"), "1"
        if op == "matrix":
            rows, columns = self.known.size(args[0])
            return self._named(rows), self._named(columns)
        if op == "family":
            return self._named(self.known.sequences.get(args[0], ("T", None))[0]), "1"
        if op in SUMS:
            return self._bound(node)
        if op == "member":
            return self._named("d"), "1"
        if op == "onto" or (op == "unknown" and args[1] == "matrix"):
            return self._named("d"), self._named("d")
        if op in _NUMBERS:
            return NUMBER
        found = [self.of(arg) for arg in node]
        if op == "T":
            return found[0][1], found[0][0]
        if op == "+":
            return self._added(node, found)
        if op == "*":
            return self._product(node, found)
        if op == "**":
            return self._square(node, found[0]) if found[0] != NUMBER else NUMBER
        if op in ("/", "softmax", "E"):
            return found[0]
        if op == "Cov":
            return found[0][0], found[1][0]
        if op == "tr":
            self._square(node, found[0])
        if op in ("inv", "eig"):
            square = self._square(node, found[0])
            return square if op == "inv" else (square[0], "1")
        if op == "column":
            return found[0][0], "1"
        if op == "grad":
            return found[1]
        if op == "at":
            if found[2] not in (found[1], NUMBER):
                raise self._error(f"{args[1]} is {told(found[1])} and {args[2]} {told(found[2])}; write 0", args[2])
            return found[0]
        return NUMBER

    def _error(self, message: str, node: Expr) -> StatementError:
        return StatementError(message, self.text, node.at)

    def _named(self, name: str) -> str:
        """The size by its name, or by its number where a hypothesis fixes it."""
        values = self.known.ranges.get(name)
        fixed = values is not None and values.low is not None and values.low == values.high
        return str(values.low) if fixed and values is not None else name

    def _bound(self, node: Expr) -> Size:
        body, _, first, last = node.args
        inner = self.of(body)
        if node.op in ("sum", "prod"):
            return inner
        if shape(body, self.text) != {"stack": "number", "columns": "vector"}[node.op]:
            what = {"stack": "numbers", "columns": "vectors"}[node.op]
            raise self._error(f"{body} is {told(inner)}; expected {what} in {node.op}(...)", body)
        one = Expr("number", (Fraction(1),))
        length = self._named(str(last)) if first == one else f"{last} - ({first}) + 1"
        return (length, "1") if node.op == "stack" else (inner[0], length)

    def _added(self, node: Expr, found: list[Size]) -> Size:
        for arg, other in zip(node.args, found, strict=True):
            if other != found[0]:
                first = f"{node.args[0]} is {told(found[0])} and {arg} is {told(other)}"
                raise self._error(f"{first}; expected equal sizes", arg)
        return found[0]

    def _product(self, node: Expr, found: list[Size]) -> Size:
        whole, before = NUMBER, ""
        for arg, other in zip(node.args, found, strict=True):
            if whole != NUMBER and other != NUMBER and whole[1] != other[0]:
                said = f"{before} is {told(whole)} and {arg} is {told(other)}"
                raise self._error(f"{said}; expected as many columns as rows that follow", arg)
            if other == NUMBER:
                continue
            before = f"{before}*{arg}" if before else str(arg)
            whole = other if whole == NUMBER else (whole[0], other[1])
        return whole

    def _square(self, node: Expr, found: Size) -> Size:
        if found[0] != found[1]:
            raise self._error(f"{node.args[0]} is {told(found)}; expected a square matrix", node)
        return found
