"""A statement in words, generated from its data."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from theorems.statement.expression import Expr, coefficients
from theorems.statement.proposition import Proposition
from theorems.statement.reading.coherent import of_every_entry
from theorems.statement.reading.families import Bounds
from theorems.statement.reading.hypotheses import orders_places, read_hypotheses
from theorems.statement.reading.places import place_of
from theorems.statement.reading.ranges import Range
from theorems.statement.reading.shapes import shape

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


def in_words(prop: Proposition) -> str:
    """The statement as a sentence: for every what, under which law, along which limit."""
    every = _quantified(prop)
    left, _ = prop.stated
    whole = f"{left} {prop.relation} {_right(prop)}"
    if prop.relation == "iff":
        whole = f"{left} if and only if {prop.right}"
    whole += ", entry by entry" if prop.whole is not None else ""
    sentence = f"For {every}: {whole}" if every else whole
    if prop.limit.variable:
        free = [n for n in prop.positions if n != "T" and n not in dict(prop.limit.regime)]
        sentence += f" as {prop.limit.text}"
        sentence += ", along every such sequence" if prop.limit.together else ""
        sentence += f", uniformly in {_listed(free)}" if free and prop.error is not None else ""
        sentence += f", for every {_listed(free)}, fixed or growing with T" if free and prop.error is None else ""
    if prop.random:
        sentence += f", where {law_in_words(prop)}"
    return ". ".join((sentence, *_glosses(prop))) + "."


def assumed(prop: Proposition) -> str:
    """What a statement is about, and under which law: for every what, where the tokens are what."""
    every = _quantified(prop)
    return ", ".join([f"for {every}"] * bool(every) + [f"where {law_in_words(prop)}"] * prop.random)


def _quantified(prop: Proposition) -> str:
    quantified = [*_matrices(prop), *_positions(prop), *_parameters(prop)]
    given = [*(_given(prop, *relation) for relation in prop.known.relations), *map(str, prop.known.properties)]
    where = f" with {_listed(given)}" if given else ""
    return f"every {_listed(quantified)}{where}" if quantified else ""


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
