"""Formulas as the report writes them, as LaTeX: ``(2*theta**2 + 7/12)*tr2/lam**2``.

Nothing is evaluated, nor rearranged but by ``sided``, so that what is shown is what is printed. A text that is no
formula gives None.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from functools import cache, lru_cache

#: Longest text that is read as a formula.
LONGEST = 6_000
#: Entries of a matrix that is typeset as one.
SMALL = 16
_LETTERS = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi "
    "omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
)
_GREEK = frozenset(_LETTERS.split())
#: x_x is the vector x of a law of one vector.
_SPECIAL = {"lam": r"\lambda", "eps": r"\varepsilon", "oo": r"\infty", "x_x": "x"}
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: r"\leq",
    ast.Gt: ">",
    ast.GtE: r"\geq",
    ast.Eq: "=",
    ast.NotEq: r"\neq",
}
#: Functions of one argument, or of any number.
_CALLS = {
    "sqrt": r"\sqrt{%s}",
    "Abs": r"\left|%s\right|",
    "erf": r"\operatorname{erf}\left(%s\right)",
    "log": r"\log\left(%s\right)",
    "gamma": r"\Gamma\left(%s\right)",
    **{name: rf"\{name}\left(%s\right)" for name in ("cos", "sin", "tan", "cosh", "sinh", "tanh")},
    "Max": r"\max\left(%s\right)",
    "Min": r"\min\left(%s\right)",
    "Indicator": r"\mathbf{1}\left\{%s\right\}",
    "o": r"o\left(%s\right)",
    "O": r"O\left(%s\right)",
    "CRootOf": r"\operatorname{root}\left(%s\right)",
    "tr": r"\operatorname{tr}\left(%s\right)",
    "abs": r"\left|%s\right|",
    "diag": r"\operatorname{diag}\left(%s\right)",
    "max": r"\max\left(%s\right)",
    "min": r"\min\left(%s\right)",
    "inner": r"\left\langle %s \right\rangle",
    "softmax": r"\operatorname{softmax}\left(%s\right)",
    "entropy": r"\operatorname{entropy}\left(%s\right)",
    # of isotropic tokens Sigma^(1/2) r_t e_t, whose law of r_t is any
    "radial": r"\mathbb{E}[(r_t/\sqrt{d})^{%s}]",
}
#: Moments as statements write them, E[...], and the index of a norm.
MOMENTS = {
    "E": r"\mathbb{E}",
    "P": r"\mathbb{P}",
    **{moment: rf"\operatorname{{{moment}}}" for moment in ("Var", "Cov", "Corr", "Skew", "Kurt")},
}
_NORMS = {"1": r"_{1 \to 1}", "2": "_{2}", "fro": "_{F}", "nuclear": "_{*}"}
_CHAIN = re.compile(r"([abm])((?:Wt?S)*Wt?|S|)([abm])")
# a sum sign reaches to the right as far as a product does, so it is bracketed as a factor before others
_SUM, _BIG, _PRODUCT, _POWER, _ATOM = range(5)
_Piece = tuple[str, int]


#: What only the language of statements has, and what is indexed in a text.
_BINDER = re.compile(
    r"\b(every|exists|least|largest|smallest|increasing|decreasing|peaks|maxima|minima|lim|limit|grad|diff|indicator|dist|hull|inv|"
    r"eig|softmax|onto|columns?|stack)\("
)
_WEIGHTED = re.compile(r"\bsoftmax\(([A-Za-z]\w*)\)")
_EQUATION = re.compile(r"(?<![<>=!])=(?!=)")
_INDEXED = re.compile(r"\b([A-Za-z]\w*)\[([^\[\]]*)\]")
#: The set that an index is in, where no first and last value of it follow: i, J.
_INDICES = re.compile(r", [a-z], ([A-Z])(?=[,)])")
_FRACTION = r"\\frac\{\d+\}\{\d+\}"


class _NoFormula(ValueError):
    """What stands there is no formula."""


def _functional(text: str) -> str | None:
    """The LaTeX of a norm or of a named functional of a case."""
    # a functional is known once the module that defines it is there
    from theorems.algebra import norms
    from theorems.gaussian import functionals

    found = functionals.known(text)
    if found is not None:
        return found.latex
    if norms.functional(text) is not None:
        return norms.functional_latex(text)
    # the same of a matrix that a proof names
    kind, _, matrix = text.partition("_")
    return norms.KINDS[kind].replace("A", matrix) if kind in norms.KINDS and matrix in ("M", "A", "B", "C") else None


def _word(text: str) -> str | None:
    """A trace or chain word: tr2, tr_W_Wt, mWm, aWSWm, aSb."""
    if re.fullmatch(r"tr[1-9]\d?", text):
        power = int(text[2:])
        return r"\operatorname{tr}(W\Sigma)" if power == 1 else rf"\operatorname{{tr}}((W\Sigma)^{{{power}}})"
    if re.fullmatch(r"tr(_(Wt?|I))+", text):
        letters = [letter.replace("t", r"^{\top}").replace("I", "") for letter in text[3:].split("_")]
        return r"\operatorname{tr}(" + "".join(rf"{letter}\Sigma " for letter in letters).strip() + ")"
    if text == "tr_W":
        return r"\operatorname{tr}(W)"
    chain = _CHAIN.fullmatch(text)
    if chain:
        middle = chain[2].replace("t", r"^{\top}").replace("S", r"\Sigma ")
        return rf"{chain[1]}^{{\top}}{middle} {chain[3]}"
    return None


@cache
def name(text: str) -> str:
    """A name in LaTeX: Greek letters, words, norms and functionals; other names upright, with their index."""
    found = _SPECIAL.get(text) or (_functional(text) if text == "tr_W" else None) or _word(text) or _functional(text)
    if found:
        return found
    if text in _GREEK:
        return "\\" + text
    stem, _, index = text.strip("_").partition("_")
    if not index and (digits := re.fullmatch(r"([A-Za-z]+?)(\d+)", stem)):
        stem, index = digits[1], digits[2]
    if stem in _GREEK or stem in _SPECIAL:
        stem = _SPECIAL.get(stem, "\\" + stem)
    elif re.fullmatch("[a-z]bar", stem):
        stem = rf"\bar{{{stem[0]}}}"
    elif len(stem) > 1:
        stem = rf"\mathrm{{{stem}}}"
    if not index:
        return stem
    if index in _GREEK:
        return rf"{stem}_{{\{index}}}"
    if numbered := re.fullmatch(r"([A-Za-z])(\d+)", index):
        return rf"{stem}_{{{numbered[1]}_{{{numbered[2]}}}}}"
    index = index.replace("_", ",")
    return stem + (rf"_{{\mathrm{{{index}}}}}" if len(index) > 1 else f"_{{{index}}}")


def functions() -> dict[str, str]:
    """The functions that formulas may hold, each as LaTeX around its arguments."""
    return _CALLS


def telling(text: str) -> bool:
    """Whether a name is written as what it is: a trace or a product of the model's matrices, a norm."""
    from theorems.algebra import norms

    return _word(text) is not None or norms.functional(text) is not None


def greek(text: str) -> bool:
    """Whether a name is that of a Greek letter."""
    return text in _GREEK


def recognised(text: str) -> bool:
    """Whether a name is a symbol rather than a word of a sentence."""
    chain = _CHAIN.fullmatch(text)
    symbol = len(text) == 1 or text in _GREEK or text in _SPECIAL or (chain is not None and chain[2] != "")
    return symbol or "_" in text or any(c.isdigit() for c in text)


class _Printer:
    """Writes a parsed formula; ``flat`` writes quotients on one line, as in an exponent.

    Each part is written once in either way, for a part asks for its own parts several times, as do they for theirs.
    """

    def __init__(self, flat: bool = False, written: dict[tuple[int, bool], _Piece] | None = None) -> None:
        self.flat = flat
        self.written: dict[tuple[int, bool], _Piece] = {} if written is None else written

    def flatly(self, node: ast.expr) -> str:
        """The node with its quotients on one line."""
        return _Printer(True, self.written).text(node)

    def text(self, node: ast.expr, least: int = _SUM) -> str:
        """The node, in brackets where it binds less than ``least``."""
        written, binds = self.piece(node)
        return written if binds >= least else _bracketed(written)

    def piece(self, node: ast.expr) -> _Piece:
        """The node, and how tightly it binds."""
        found = self.written.get((id(node), self.flat))
        if found is None:
            found = self.written[id(node), self.flat] = self._piece(node)
        return found

    def _piece(self, node: ast.expr) -> _Piece:
        match node:
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                return _number(value), _ATOM
            case ast.Name(id=text):
                return name(text), _ATOM
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=inner):
                return ("-" if isinstance(sign, ast.USub) else "+") + self.text(inner, _BIG), _SUM
            case ast.BinOp(op=ast.Add() | ast.Sub() as sign, left=left, right=right):
                mark = "+" if isinstance(sign, ast.Add) else "-"
                return f"{self.text(left)} {mark} {self.text(right, _BIG)}", _SUM
            case ast.BinOp(op=ast.Mult(), left=left, right=right):
                return self.product(left, right), min(_PRODUCT, max(_BIG, self.piece(right)[1]))
            case ast.BinOp(op=ast.Div(), left=left, right=right):
                if self.flat:
                    return f"{self.leading(left)}/{self.text(right, _POWER)}", _PRODUCT
                return rf"\frac{{{self.text(left)}}}{{{self.text(right)}}}", _PRODUCT
            case ast.BinOp(op=ast.Pow(), left=left, right=right):
                return f"{self.base(left)}^{{{self.flatly(right)}}}", _POWER
            case ast.BinOp(op=ast.BitAnd(), left=left, right=right):
                return rf"{self.text(left)} \wedge {self.text(right)}", _SUM
            case ast.Compare(left=left, ops=signs, comparators=others):
                if any(type(sign) not in _COMPARE for sign in signs):
                    raise _NoFormula
                # by itself [0, 1] is an interval
                sides = [self.matrix(o) if isinstance(o, ast.List) else self.text(o) for o in others]
                steps = (f"{_COMPARE[type(s)]} {o}" for s, o in zip(signs, sides, strict=True))
                return " ".join([self.text(left), *steps]), _SUM
            case ast.Call(func=ast.Name(id=called), args=arguments, keywords=[]) if arguments:
                return self.call(called, arguments)
            case ast.Attribute(value=inner, attr="T"):
                return self.base(inner) + r"^{\top}", _POWER
            case ast.Subscript(value=ast.Name(id=moment), slice=index) if moment in MOMENTS:
                parts = index.elts if isinstance(index, ast.Tuple) else [index]
                inside = ", ".join(self.text(part) for part in parts)
                grown = (r"\left[", r"\right]") if _tall(inside) else ("[", "]")
                return f"{MOMENTS[moment]}{inside.join(grown)}", _ATOM
            case ast.Subscript(value=ast.Subscript(value=ast.Name()) as vector, slice=index):
                # an entry of a vector that has an index
                return rf"({self.text(vector)})_{{{self.flatly(index)}}}", _ATOM
            case ast.Subscript(value=ast.Name() as inner, slice=index):
                parts = index.elts if isinstance(index, ast.Tuple) else [index]
                written, inside = self.text(inner), ",".join(self.flatly(part) for part in parts)
                stem, _, own = written.partition("_{")
                return f"{stem}_{{{own.removesuffix('}') + ',' if own else ''}{inside}}}", _ATOM
        raise _NoFormula

    def matrix(self, node: ast.List) -> str:
        """A small matrix or row; of one entry a number is the same."""
        nested = [row.elts for row in node.elts if isinstance(row, ast.List)]
        rows = nested if len(nested) == len(node.elts) else [node.elts]
        entries = [self.text(entry) for row in rows for entry in row]
        if not 0 < len(entries) <= SMALL or len({len(row) for row in rows}) > 1:
            raise _NoFormula
        if len(entries) == 1:
            return entries[0]
        width = len(rows[0])
        inside = r" \\ ".join(" & ".join(entries[k : k + width]) for k in range(0, len(entries), width))
        return rf"\begin{{pmatrix}} {inside} \end{{pmatrix}}"

    def base(self, node: ast.expr) -> str:
        """The base of a power."""
        written, binds = self.piece(node)
        bare = binds == _ATOM and not (isinstance(node, ast.Name) and "^" in written)
        return written if bare else _bracketed(written)

    def product(self, left: ast.expr, right: ast.expr) -> str:
        """Two factors side by side; a dot where digits, or fractions of them, would run together."""
        first, second = self.leading(left), self.text(right, _BIG)
        number = first[-1:].isdigit() or re.search(rf"{_FRACTION}$", first)
        if second[:1].isdigit() or (second.startswith(r"\frac") and number):
            return rf"{first} \cdot {second}"
        # words beside each other are told apart by a space, symbols need none
        apart = second.startswith(r"\mathrm") or re.search(r"\\mathrm\{\w+\}$", first)
        return rf"{first}\,{second}" if apart else f"{first} {second}"

    def leading(self, node: ast.expr) -> str:
        """A first factor, whose sign needs no brackets."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return "-" + self.text(node.operand, _PRODUCT)
        return self.text(node, _PRODUCT)

    def call(self, called: str, arguments: list[ast.expr]) -> _Piece:
        """A function that formulas may hold."""
        if called == "hyper" and len(arguments) == 3 and all(isinstance(one, ast.Tuple) for one in arguments[:2]):
            above, below = (one.elts for one in arguments[:2] if isinstance(one, ast.Tuple))
            given = "; ".join(
                [", ".join(map(self.flatly, one)) for one in (above, below)] + [self.flatly(arguments[2])]
            )
            return rf"{{}}_{{{len(above)}}}F_{{{len(below)}}}({given})", _ATOM
        match arguments:
            case [body, ast.Tuple(elts=[index, first, last])] if called == "Sum":
                return self.call("sum", [body, index, first, last])
        inside = [self.text(argument) for argument in arguments]
        if called == "exp" and len(inside) == 1:
            exponent = self.flatly(arguments[0])
            short = len(exponent) <= 40
            return (f"e^{{{exponent}}}", _POWER) if short else (rf"\exp\left({inside[0]}\right)", _ATOM)
        if called == "binomial" and len(inside) == 2:
            return rf"\binom{{{inside[0]}}}{{{inside[1]}}}", _ATOM
        if called == "factorial" and len(inside) == 1:
            return f"{self.text(arguments[0], _ATOM)}!", _POWER
        if called == "Sum" and len(inside) > 1 and all(isinstance(index, ast.Name) for index in arguments[:-1]):
            return rf"\sum_{{{','.join(inside[:-1])}}} {self.text(arguments[-1], _BIG)}", _BIG
        if called == "mean" and len(arguments) == 1 and isinstance(arguments[0], ast.Name):
            return rf"\bar{{{inside[0]}}}", _ATOM
        if called == "norm" and len(inside) <= 2:
            kind = "" if len(arguments) == 1 else _NORMS.get(ast.unparse(arguments[1]))
            if kind is None:
                raise _NoFormula
            left, right = (r"\left", r"\right") if _tall(inside[0]) else ("", "")
            return rf"{left}\lVert {inside[0]} {right}\rVert{kind}", _ATOM
        if called in ("Sum", "sum", "prod") and len(inside) == 4:
            sign, part = (r"\prod", _PRODUCT) if called == "prod" else (r"\sum", _BIG)
            return rf"{sign}_{{{inside[1]}={inside[2]}}}^{{{inside[3]}}} {self.text(arguments[0], part)}", _BIG
        if called == "integral" and len(inside) == 4:
            return rf"\int_{{{inside[2]}}}^{{{inside[3]}}} {self.text(arguments[0], _PRODUCT)} \,d{inside[1]}", _BIG
        if called in ("RisingFactorial", "rf") and len(inside) == 2:
            return rf"{_bracketed(inside[0])}_{{{inside[1]}}}", _POWER
        form = _CALLS.get(called)
        if form is None and recognised(called):
            form = name(called) + r"\left(%s\right)"
        if form is None:
            raise _NoFormula
        given = ", ".join(inside)
        if not _tall(given):
            form = form.replace(r"\left(", "(").replace(r"\right)", ")")
        return form.replace("%s", given), _ATOM


def _tall(written: str) -> bool:
    """Whether brackets around this have to grow."""
    return any(part in written for part in (r"\frac", r"\sum", r"\left", r"\sqrt", r"\binom"))


def _bracketed(written: str) -> str:
    return rf"\left({written}\right)" if _tall(written) else f"({written})"


def _number(value: float) -> str:
    written = repr(value)
    if "inf" in written or "nan" in written:
        raise _NoFormula
    digits, _, power = written.partition("e")
    return rf"{digits} \cdot 10^{{{int(power)}}}" if power else digits


def parsed(text: str) -> ast.expr | None:
    """The tree of a formula; None for a text that is none."""
    if not text.strip() or len(text) > LONGEST or "\0" in text:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


@lru_cache(maxsize=20_000)
def latex(text: str) -> str | None:
    """A formula in LaTeX, or what statements say with binders, every(p[j].T*p[j] = d, j, 1, n); None for a text."""
    tree = parsed(text)
    try:
        return _stated(text) if tree is None else _Printer().text(tree)
    except (_NoFormula, RecursionError):
        return _stated(text)


def _stated(text: str) -> str | None:
    """A part of a statement as the language of statements typesets it, what its names stand for seen from their use."""
    if not _BINDER.search(text) or len(text) > LONGEST:
        return None
    text = " ".join(text.split())
    from theorems.statement.expression import StatementError
    from theorems.statement.latex import latex as typeset
    from theorems.statement.reading.language import Vocabulary
    from theorems.statement.reading.language import parsed as read

    indexed = {found[1]: found[2].count(",") + 1 for found in _INDEXED.finditer(text) if found[1] not in MOMENTS}
    bare = set(re.findall(r"(?<![\w.])([A-Za-z]\w*)(?![\w(\[])", text))
    families = {name: (0,) * count for name, count in indexed.items() if name != "x" and name not in bare}
    of = (*indexed, *_WEIGHTED.findall(text), *_INDICES.findall(text))
    sequences = {name: "n" for name in of if name in bare}
    matrices = {"W", "Sigma", "I", *(name for name in bare if name[0].isupper() and name not in ("T", "C", "N", "J"))}
    try:
        return typeset(read(text, Vocabulary(frozenset(matrices), sequences=sequences, families=families)))
    except (StatementError, RecursionError, ValueError, KeyError):
        return None


def summands(text: str) -> list[str] | None:
    """A formula in LaTeX cut between its summands, each with its sign, or a product between its factors.

    A line may be broken there.
    """
    tree = parsed(text)
    if tree is None:
        return None
    found: list[str] = []
    try:
        while isinstance(tree, ast.BinOp) and isinstance(tree.op, (ast.Add, ast.Sub)):
            found.append(("+ " if isinstance(tree.op, ast.Add) else "- ") + _Printer().text(tree.right, _BIG))
            tree = tree.left
        if not found:
            first, *others = _factors(tree)
            return [
                _Printer().text(first, _SUM if isinstance(first, ast.UnaryOp) else _PRODUCT),
                *(_Printer().text(factor, _PRODUCT) for factor in others),
            ]
        return [_Printer().text(tree), *reversed(found)]
    except (_NoFormula, RecursionError):
        return None


def _factors(tree: ast.expr) -> list[ast.expr]:
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Mult):
        return [*_factors(tree.left), tree.right]
    return [tree]


def clause(text: str) -> tuple[str, list[str]] | None:
    """``iff a > 0 & b >= 0`` as the word and its conditions in LaTeX; None for what is no clause."""
    word, _, rest = text.partition(" ")
    if word not in ("if", "iff") or not rest:
        return None
    conditions = [latex(sided(condition)) for condition in rest.split(" & ")]
    return None if None in conditions else (word, [condition for condition in conditions if condition])


def sided(condition: str) -> str:
    """What is compared with 0, ``a - b >= 0``, as ``a >= b``; another condition as it is."""
    match parsed(_EQUATION.sub("==", condition)):
        case ast.Compare(left=left, ops=sign, comparators=[ast.Constant(value=0)]):
            parts: dict[bool, ast.expr] = {}
            for part, kept in _signed(left):
                parts[kept] = ast.BinOp(parts[kept], ast.Add(), part) if kept in parts else part
            if len(parts) > 1:
                # products without spaces, as a sentence is searched for formulas
                return re.sub(r" ([*/]+) ", r"\1", ast.unparse(ast.Compare(parts[True], sign, [parts[False]])))
    return condition


def _signed(node: ast.expr, kept: bool = True) -> Iterator[tuple[ast.expr, bool]]:
    """The summands, each with whether it is added."""
    match node:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as sign, right=right):
            yield from _signed(left, kept)
            yield from _signed(right, kept is isinstance(sign, ast.Add))
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            yield from _signed(inner, not kept)
        case _:
            yield node, kept


def relation(text: str) -> str | None:
    """A run that ``pieces`` found, relations included, in LaTeX; a single = is an equation."""
    head, _, binder = text.partition(" = ")
    if head.isidentifier() and _BINDER.search(binder):
        # the language of statements does not know what a functional of the report is written as
        right = latex(binder)
        return f"{name(head)} = {right}" if right else None
    return latex(_EQUATION.sub("==", text))
