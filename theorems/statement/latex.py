"""An expression and a statement in LaTeX."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction

from theorems.statement.expression import HALF_LINE, MOMENTS, OF_EACH, PREDICATES, Expr, chained
from theorems.statement.proposition import Proposition
from theorems.statement.reading.binders import conditions, unknowns
from theorems.statement.reading.conditions import CLAUSES

_GREEK = (
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "eta",
    "theta",
    "kappa",
    "lambda",
    "mu",
    "nu",
    "xi",
    "rho",
    "sigma",
    "tau",
    "phi",
    "psi",
    "omega",
    "Sigma",
)
_RELATIONS = {"=": "=", "<=": r"\le", "<": "<", ">=": r"\ge", ">": ">", "->": r"\to", "~": r"\sim", "!=": r"\ne"}
_OPERATORS = {
    "E": r"\mathbb E",
    "Var": r"\operatorname{Var}",
    "Cov": r"\operatorname{Cov}",
    "P": r"\mathbb P",
    "Corr": r"\operatorname{Corr}",
    "Skew": r"\operatorname{Skew}",
    "Kurt": r"\operatorname{Kurt}",
}


def name_latex(word: str) -> str:
    """A name in LaTeX: lam and Greek letters as such, longer names upright, what follows _ below.

    ``dbar`` is d with a bar, and ``d_`` a d beside another one.
    """
    word = word.rstrip("_") or word
    base, bar, below = word.partition("_")
    if bar and base and below.isalnum():
        return f"{name_latex(base)}_{{{below if below.isdigit() else name_latex(below)}}}"
    if word == "lam":
        return r"\lambda"
    if word in _GREEK:
        return "\\" + word
    if re.fullmatch("[a-z]bar", word):
        return rf"\bar{{{word[0]}}}"
    return word if len(word) == 1 else rf"\mathrm{{{word.replace('_', chr(92) + '_')}}}"


def latex(node: Expr, outer: int = 0) -> str:
    """An expression in LaTeX; ``outer`` is how tightly what surrounds it binds."""
    text, binding = _latex(node)
    return rf"\left({text}\right)" if binding < outer else text


def _latex(node: Expr) -> tuple[str, int]:
    op, args = node.op, node.args
    if op == "number":
        return _number(args[0]), 4 if args[0] >= 0 and args[0].denominator == 1 else 2 if args[0] >= 0 else 0
    if op in ("name", "matrix", "vector", "family", "unknown"):
        return name_latex(args[0]), 4
    if op == "member":
        return _member(node), 4
    if op in ("every", "given"):
        return _truth(node), 0
    if op in ("exists", "least"):
        return _extremal(node), 4 if op == "least" else 0
    if op == "token":
        return rf"x_{{{latex(args[0])}}}", 4
    if op == "entry":
        head = name_latex(args[0]) if isinstance(args[0], str) else latex(args[0], 4)
        return rf"{head}_{{{latex(args[1])}}}", 4
    if op == "T":
        return rf"{latex(args[0], 4)}^\top", 3
    if op == "+":
        return _sum(args), 1
    if op == "*":
        return _product(args), 1 if args[0] == Expr("number", (-1,)) else 2
    if op == "/":
        return rf"\frac{{{latex(args[0])}}}{{{latex(args[1])}}}", 3
    if op == "**":
        return rf"{latex(args[0], 4)}^{{{latex(args[1])}}}", 3
    if op in MOMENTS:
        return rf"{_OPERATORS[op]}\left[{', '.join(latex(arg) for arg in args)}\right]", 4
    return _function(node)


def _number(value: Fraction) -> str:
    sign = "-" if value < 0 else ""
    return (
        f"{sign}{abs(value)}"
        if value.denominator == 1
        else rf"{sign}\tfrac{{{abs(value.numerator)}}}{{{value.denominator}}}"
    )


def _sum(args: tuple[Expr, ...]) -> str:
    pieces: list[str] = []
    for arg in args:
        text = latex(arg, 1)
        joined = text if text.startswith("-") or not pieces else f"+ {text}"
        pieces.append(joined)
    return " ".join(pieces)


def _product(args: tuple[Expr, ...]) -> str:
    if args[0].op == "number" and args[0].args[0] == -1:
        rest = args[1:]
        return f"-{latex(rest[0], 2) if len(rest) == 1 else _product(rest)}"
    return r" \, ".join(latex(arg, 2) for arg in args)


def _function(node: Expr) -> tuple[str, int]:
    op, args = node.op, node.args
    if op == "mean":
        return r"\bar x", 4
    if op == "pi":
        return r"\pi", 4
    if op == "diff":
        body, index, at = args
        place = "" if at == Expr("name", (index,)) else rf"\Big|_{{{name_latex(index)}={latex(at)}}}"
        return rf"\frac{{\partial}}{{\partial {name_latex(index)}}} {latex(body, 2)}{place}", 1
    if op == "lim":
        return rf"\lim {latex(args[0], 2)}", 1
    if op in HALF_LINE:
        body, index, *low = args
        name = name_latex(index)
        if not low:
            return rf"\lim_{{{name} \to \infty}} {latex(body, 2)}", 1
        return rf"\#\text{{{op}}}_{{{name} > {latex(low[0])}}}\left({latex(body)}\right)", 4
    if op == "chance":
        return rf"\mathbb P\left[{_event(*args)}\right]", 4
    if op == "and" and chained(args):
        rest = "".join(rf" {_RELATIONS[one.args[0]]} {latex(one.args[2], 1)}" for one in args)
        return f"{latex(args[0].args[1], 1)}{rest}", 0
    if op in PREDICATES:
        body, index, low, high = args
        word = {"peaks": "has one maximum, inside,", "positive": "is positive"}.get(op, f"is strictly {op}")
        where = rf"{name_latex(index)} \in [{latex(low)}, {latex(high)}]"
        return rf"{latex(body, 1)} \text{{ {word} for }} {where}", 0
    if op == "indicator":
        return rf"\mathbf 1\left[{latex(args[0])}\right]", 4
    if op == "sqrt":
        return rf"\sqrt{{{latex(args[0])}}}", 4
    if op == "abs":
        return rf"\left|{latex(args[0])}\right|", 4
    if op == "inv":
        return rf"{latex(args[0], 4)}^{{-1}}", 3
    if op in ("norm", "entrynorm"):
        below = {"fro": "F", "nuclear": "*", "oo": r"\infty", "max": r"\max", "sum": r"\mathrm{sum}"}
        below = below.get(args[1], args[1])
        return rf"\left\lVert {latex(args[0])} \right\rVert" + (f"_{{{below}}}" if below else ""), 4
    if op == "integral":
        return rf"\int_{{{latex(args[2])}}}^{{{latex(args[3])}}} {latex(args[0], 2)}\,d{name_latex(args[1])}", 1
    if op in ("sum", "prod", "series"):
        body, index, first, *last = args
        end = latex(last[0]) if last else r"\infty"
        return rf"\{'prod' if op == 'prod' else 'sum'}_{{{index}={latex(first)}}}^{{{end}}} {latex(body, 2)}", 1
    if op == "and":
        return r" \text{ and } ".join(latex(arg) for arg in args), 0
    if op in _PARTS:
        return _PARTS[op](*(arg if isinstance(arg, str) else latex(arg, 4 * (k == 0)) for k, arg in enumerate(args))), 3
    if op == "relation":
        return f"{latex(args[1], 1)} {_RELATIONS[args[0]]} {latex(args[2], 1)}", 0
    if op in OF_EACH:
        return _of_each(node), 1 if op in ("largest", "smallest") else 4
    if op == "entire":
        return rf"{name_latex(args[0])}\left({latex(args[1])}\right)", 4
    if op == "gamma":
        return rf"\Gamma\left({latex(args[0])}\right)", 4
    if op == "binomial":
        return rf"\binom{{{latex(args[0])}}}{{{latex(args[1])}}}", 4
    return rf"\operatorname{{{op}}}\left({', '.join(latex(arg) for arg in args)}\right)", 4


_PARTS: dict[str, Callable[..., str]] = {
    "grad": lambda f, variable: rf"\nabla_{{{variable}}} {f}",
    "at": lambda body, variable, value: rf"\left. {body} \right|_{{{variable} = {value}}}",
    "column": lambda matrix, place: rf"{matrix}_{{:, {place}}}",
    "element": lambda matrix, row, column: rf"{matrix}_{{{row}, {column}}}",
    "stack": lambda body, index, first, last: rf"\left({body}\right)_{{{index}={first}}}^{{{last}}}",
    "columns": lambda body, index, first, last: rf"\left[{body}\right]_{{{index}={first}}}^{{{last}}}",
}


def _event(kind: str, mean: Expr, variance: Expr, *ends: Expr) -> str:
    number = rf"N({latex(mean)}, {latex(variance)})"
    low, high = latex(ends[0], 1), latex(ends[-1], 1)
    return {
        "within": rf"{low} \le {number} \le {high}",
        "above": rf"{number} \ge {low}",
        "below": rf"{number} \le {high}",
    }[kind]


def _of_each(node: Expr) -> str:
    """A hull as conv{v_j : 2 <= j <= n}, an extreme as max_{2 <= j <= n} of its body."""
    body, ranges = node.args[0], list[str]()
    while body.op == "each":
        body, index, *ends = body.args
        through = rf"{name_latex(index)} \in {latex(ends[0])}" if len(ends) == 1 else ""
        ranges.append(through or rf"{latex(ends[0])} \le {name_latex(index)} \le {latex(ends[1])}")
    if body.op == "given":
        body, *conditions = body.args
        ranges += map(latex, conditions)
    if node.op == "onto":
        return rf"P_{{\operatorname{{span}}\left\{{{latex(body)} : {', '.join(ranges)}\right\}}}}"
    if node.op == "hull":
        listed = latex(body) if ranges else ", ".join(map(latex, node.args))
        where = rf" : {', '.join(ranges)}" if ranges else ""
        return rf"\operatorname{{conv}}\left\{{{listed}{where}\right\}}"
    return rf"\{'max' if node.op == 'largest' else 'min'}_{{{', '.join(ranges)}}} {latex(body, 2)}"


def _member(node: Expr) -> str:
    r"""A vector of a family: \eta_{c,i}."""
    return rf"{name_latex(node.args[0])}_{{{','.join(latex(index) for index in node.args[2:])}}}"


def _truth(node: Expr) -> str:
    """A relation for every value of its indices, the conditions on these after a comma."""
    body, indices, further = node, list[str](), list[str]()
    while body.op in ("every", "given"):
        if body.op == "given":
            further += [latex(one) for one in body.args[1:]]
        else:
            _, index, *ends = body.args
            values = rf"\in {latex(ends[0])}" if len(ends) == 1 else rf"={latex(ends[0])},\dots,{latex(ends[1])}"
            indices.append(f"{index}{values}")
        body = body.args[0]
    quantified = r",\ ".join([*indices, *further])
    return rf"{latex(body)}\ \ \forall\, {quantified}"


def _extremal(node: Expr) -> str:
    r"""\exists W:\ ..., or \min\{f : ...\}."""
    held = r";\ ".join(latex(one) for one in conditions(node))
    if node.op == "exists":
        return rf"\exists\, {', '.join(map(name_latex, unknowns(node)))}:\ {held}"
    return rf"\min\left\{{{latex(node.args[0])} :\ {held}\right\}}"


def statement_latex(prop: Proposition) -> str:
    """The statement in LaTeX, its error term and limit with it."""
    left, stated = prop.stated
    if prop.relation in CLAUSES:
        sign = r"\iff" if prop.relation == "iff" else r"\Longleftarrow"
        return rf"{latex(left)} {sign} {latex(stated)}"
    error = "" if prop.error is None else f" + {prop.error[0]}({latex(prop.error[1])})"
    right = latex(stated)
    if error and stated.op == "number" and stated.args[0] == 0:
        right, error = "", error.removeprefix(" + ")
    limit = rf" \quad ({limit_latex(prop)})" if prop.limit.variable else ""
    return f"{latex(left)} {_RELATIONS[prop.relation]} {right}{error}{limit}"


def limit_latex(prop: Proposition) -> str:
    """What tends where, in LaTeX."""
    if prop.limit.together:
        return ", ".join(
            rf"{latex(one.source)} \to "
            + (latex(one.value) if one.value is not None else r"\infty" if one.sign > 0 else r"-\infty")
            for one in prop.limit.together
        )
    value = r"\infty" if prop.limit.value is None else latex(prop.limit.value)
    parts = [rf"{name_latex(prop.limit.variable)} \to {value}"]
    parts += [rf"{name}/T \to {latex(form)}" for name, form in prop.limit.regime]
    return ", ".join(parts)
