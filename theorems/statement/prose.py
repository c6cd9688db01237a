"""A statement in words and in LaTeX, generated from its data."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from theorems.statement import binders_prose
from theorems.statement.expression import HALF_LINE, MOMENTS, OF_EACH, PREDICATES, Expr, chained, coefficients
from theorems.statement.proposition import Proposition
from theorems.statement.reading.coherent import of_every_entry
from theorems.statement.reading.conditions import CLAUSES
from theorems.statement.reading.families import Bounds
from theorems.statement.reading.hypotheses import orders_places, read_hypotheses
from theorems.statement.reading.places import place_of
from theorems.statement.reading.ranges import Range
from theorems.statement.reading.shapes import shape

if TYPE_CHECKING:
    import sympy as sp

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
_ISOTROPIC = (
    "Sigma^(1/2) r_t e_t with e_t uniform on the unit sphere and the r_t >= 0 independent of these and of each other, "
    "of any one law for which all moments exist that the statement has"
)
LAWS = {
    "walk": "x_1 ~ N(0, Sigma) and x_{t+1} ~ N(x_t, Sigma)",
    "walk-zero": "x_1 = 0 and x_{t+1} ~ N(x_t, Sigma)",
    "walk-mean": "x_1 = m, fixed, and x_{t+1} ~ N(x_t, Sigma)",
    "iid": "the tokens are independent, N(0, Sigma)",
    "frame": "the tokens are Sigma^(1/2) r_t e_t, e_1, ..., e_T a uniformly random orthonormal frame, the r_t "
    "independent of it and of each other, of the law of |g| with g ~ N(0, I)",
    "iid-isotropic": f"the tokens are independent, {_ISOTROPIC}",
    "frame-isotropic": f"the tokens are {_ISOTROPIC}, the e_t being a uniformly random orthonormal frame",
    "frame-sphere": "the tokens are Sigma^(1/2) sqrt(d) e_t, e_1, ..., e_T a uniformly random orthonormal frame",
    "exchangeable": "the tokens x_1, ..., x_T are exchangeable, with finite second moments",
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
        return binders_prose.member(node, name_latex(args[0]), latex), 4
    if op in ("every", "given"):
        return binders_prose.truth(node, latex), 0
    if op in ("exists", "least"):
        return binders_prose.extremal(node, name_latex, latex), 4 if op == "least" else 0
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


def in_words(prop: Proposition) -> str:
    """The statement as a sentence: for every what, under which law, along which limit."""
    quantified = [*_matrices(prop), *_positions(prop), *_parameters(prop)]
    left, _ = prop.stated
    whole = f"{left} {prop.relation} {_right(prop)}"
    if prop.relation == "iff":
        whole = f"{left} if and only if {prop.right}"
    given = [*(_given(prop, *relation) for relation in prop.known.relations), *map(str, prop.known.properties)]
    where = f" with {_listed(given)}" if given else ""
    whole += ", entry by entry" if prop.whole is not None else ""
    sentence = f"For every {_listed(quantified)}{where}: {whole}" if quantified else whole
    if prop.limit.variable:
        free = [n for n in prop.positions if n != "T" and n not in dict(prop.limit.regime)]
        sentence += f" as {prop.limit.text}"
        sentence += ", along every such sequence" if prop.limit.together else ""
        sentence += f", uniformly in {_listed(free)}" if free and prop.error is not None else ""
        sentence += f", for every {_listed(free)}, fixed or growing with T" if free and prop.error is None else ""
    if prop.random:
        sentence += f", where {law_in_words(prop)}"
    return ". ".join((sentence, *_glosses(prop))) + "."


def _glosses(prop: Proposition) -> Iterator[str]:
    """What a reader may take for something else: conventions of what is named."""
    nodes = [node for side in prop.stated for node in side.walk()]
    if any(node.op == "Kurt" for node in nodes):
        yield "Kurt is the excess kurtosis, 0 for a Gaussian number"
    for kind, what in (("1", "column"), ("oo", "row")):
        of = next(
            (n for n in nodes if n.op == "entrynorm" and n.args[1] == kind and shape(n.args[0]) == "matrix"), None
        )
        if of is not None:
            yield f"{of} is the largest {what} sum of absolute entries"
    if any(node.op == "eig" for node in nodes):
        yield "Eigenvalues are numbered in rising order"


def _given(prop: Proposition, sign: str, one: Expr, two: Expr) -> str:
    """A relation among the hypotheses, with the letters that stand for every entry in it."""
    every = sorted(of_every_entry(prop.known) & (one.names() | two.names()) - _of_sides(prop))
    return f"{one} {sign} {two}" + (f" for every {' and '.join(every)}" if every else "")


def _of_sides(prop: Proposition) -> frozenset[str]:
    return prop.left.names() | prop.right.names()


def law_in_words(prop: Proposition) -> str:
    """How the tokens are made."""
    law = prop.law
    if law.kind in LAWS:
        return LAWS[law.kind]
    if not law.gaussian:
        from theorems.statement.moments import mixing

        return mixing.words(law.kind, law.arguments)
    if law.kind == "ar1":
        return f"x_{{t+1}} = {law.parameter} x_t + noise is stationary with covariance Sigma"
    from theorems.statement.moments.covariance import always

    assert law.parameter is not None
    known = "" if always(law.parameter, prop.known) else ", wherever this is a covariance"
    return f"the tokens are Gaussian with mean 0 and Cov(x_s, x_t) = ({law.parameter}) Sigma{known}"


def _right(prop: Proposition) -> str:
    if prop.error is None:
        return str(prop.stated[1])
    error = f"{prop.error[0]}({prop.error[1]})"
    return error if prop.right.op == "number" and prop.right.args[0] == 0 else f"{prop.right} + {error}"


def _matrices(prop: Proposition) -> list[str]:
    shapes = {
        "any": "real d x d matrix",
        "symmetric": "symmetric",
        "psd": "positive semidefinite",
        "positive definite": "positive definite",
    }
    found = []
    known = prop.known.dimension
    if prop.random or set(prop.matrices) - prop.known.sizes.keys() or "d" in prop.known.size_names:
        low, high = known.low or Fraction(1), known.high
        found.append(
            f"d = {low}"
            if low == high
            else "d"
            if low == 1 and high is None
            else f"d from {low} to {high}"
            if high is not None
            else f"d >= {low}"
        )
    for name in prop.matrices:
        if name == "Sigma":
            found.append(
                "Sigma = I"
                if prop.known.identity
                else "covariance Sigma"
                + (", positive definite" if prop.known.shape(name) == "positive definite" else "")
            )
        else:
            shape = prop.known.shape(name)
            size = " x ".join(prop.known.size(name))
            text = f"{shapes[shape].replace('d x d', size)} {name}"
            found.append(text + (" that is not 0" if name in prop.known.nonzero else ""))
    if prop.known.identity and "Sigma" not in prop.matrices:
        found.append("Sigma = I")
    return found


def _positions(prop: Proposition) -> list[str]:
    # those that are no order of positions alone are told with the other conditions
    told = {_given(prop, *relation) for relation in prop.known.relations}
    comparisons = [text for text in prop.known.texts if any(sign in text for sign in "<>=") and text not in told]
    about = [text for text in comparisons if set(_names(text)) & set(prop.positions)]
    named = {name for text in about for name in _names(text)}
    rest = [name for name in prop.positions if name not in named]
    top = " <= T" if "T" in prop.positions else ""
    return [
        *(f"position {name} (1 <= {name}{top})" for name in rest if name != "T"),
        *(["length T"] if "T" in rest else []),
        *about,
        *_below_length(prop, about),
    ]


def _below_length(prop: Proposition, told: list[str]) -> Iterator[str]:
    """That tokens stand at 1, ..., T, where the comparisons that are told do not say so: x[i - 1], or i <= T + 1."""
    plain = ", ".join(text for text in told if orders_places(text))
    table = read_hypotheses(plain, set(prop.positions)).places.shortest(prop.positions)
    assert table is not None
    tokens = [node for side in prop.stated for node in side.walk() if node.op == "token"]
    for place in sorted({place_of(node.args[0]) for node in tokens}):
        if place.name in prop.positions and table["", place.name] > place.offset - 1 and place.offset < 0:
            yield f"{place} >= 1"
        if place.name in prop.positions and place.offset > 0 and "T" in prop.positions and place.name != "T":
            yield from [f"{place} <= T"] * (table[place.name, "T"] > -place.offset)
    if "T" not in prop.positions:
        return
    words = {name for text in told for name in _names(text)}
    loose = [name for name in prop.positions if name in words and table[name, "T"] > 0]
    for k, name in enumerate(loose):
        above = [two for two in loose if two != name and table[name, two] <= 0]
        if not any(table[two, name] > 0 or two in loose[:k] for two in above):
            yield f"{name} <= T"


def _names(text: str) -> list[str]:
    word, found = "", []
    for character in text + " ":
        if character.isalnum() or character == "_":
            word += character
        else:
            found += [word] if word else []
            word = ""
    return found


def _parameters(prop: Proposition) -> list[str]:
    found = []
    at_least = Range(Fraction(0))
    entire = {label for head in prop.known.entire for label in coefficients(head)}
    own = {label for label in entire if prop.known.ranges.get(label) == at_least} | prop.law.lengths
    own |= of_every_entry(prop.known) - _of_sides(prop)
    for name in (name for name in prop.parameters if name not in own):
        known = prop.known.ranges.get(name)
        whole = known is not None and known.integer and name not in prop.known.fixed
        told = f"{name} {_range(known)}".strip() if known is not None else name
        found.append(f"integer {told}" if whole else told)
    sizes = [
        f"{name} in {_of(prop, name)}^{size}" + (f" with |{name}_j| <= {bound}" if bound is not None else "")
        for name, (size, bound) in prop.known.sequences.items()
        if not name.startswith("_")
    ]
    vectors = [*(f"{name} in R^d" for name in prop.known.vectors), *map(_family, prop.known.families.items())]
    found += [f"power series {head}(u) that converges everywhere with coefficients >= 0" for head in prop.known.entire]
    return [*found, *sizes, *vectors, *(f"all with {truth}" for truth in prop.known.truths)]


def _of(prop: Proposition, sequence: str) -> str:
    """Where the entries of a sequence lie."""
    ends = prop.known.choices.get(sequence)
    return "R" if ends is None else f"{{{ends[0]}..{ends[1]}}}"


def _family(declared: tuple[str, Bounds]) -> str:
    name, bounds = declared
    return f"{name}[{', '.join(f'{first}..{last}' for first, last in bounds)}] in R^d"


def _range(known: Range) -> str:
    if known.low is not None and known.low == known.high:
        return f"= {known.low}"
    low = f"{'>' if known.low_open else '>='} {known.low}" if known.low is not None else ""
    high = f"{'<' if known.high_open else '<='} {known.high}" if known.high is not None else ""
    both = " and ".join(part for part in (low, high) if part)
    return both + (", not 0" if known.nonzero else "")


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def alias(word: str) -> str:
    """A trace's or chain's name as ``sympify`` reads it: tr(W*Sigma) is tr1, tr(Sigma) is tr_I."""
    if word.isidentifier():
        return word
    if word.startswith("tr(") and word.endswith(")"):
        letters = word[3:-1].split("*")
        others = [letter for letter in letters if letter != "Sigma"]
        if letters == [letter for other in others for letter in (other, "Sigma")] and others:
            names = [other.replace(".T", "t") for other in others]
            return f"tr{len(names)}" if set(names) == {"W"} else "tr_" + "_".join(names)
        if not others:
            return "tr_" + "_".join("I" for _ in letters)
        return "trace_" + "_".join(letter.replace(".T", "t") for letter in letters)
    return "".join(c if c.isalnum() else "_" for c in word).strip("_")


def sympy_text(value: sp.Expr) -> str:
    """A value as text that ``sympify`` reads, traces by their short names."""
    from theorems.algebra.expressions import symbol

    return str(value.xreplace({free: symbol(alias(free.name)) for free in value.free_symbols}))
