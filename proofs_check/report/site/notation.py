"""What the symbols of a claim are: the definitions that its page shows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from markupsafe import Markup

from proofs_check.claims.report import Claim
from proofs_check.report.site import formula, mathml, names

#: A definition of more signs is told condition by condition, where it is the least value under some.
LONG = 200
_NAME = re.compile(r"(?<![\w.])[A-Za-z]\w*(?![\w(])")


def definitions(claim: Claim, correction: Claim | None, below: Sequence[Claim] = ()) -> list[Markup]:
    """The definitions of all names that the claim's formulas use, typeset."""
    found = []
    for left, right in equations(claim, correction, below):
        sides = [formula.latex(side) for side in (left, right)]
        if program := _program(left, right):
            found.append(program)
        elif None in sides:
            found.append(mathml.code(f"{left} = {right}"))
        else:
            found.append(mathml.shown(" = ".join(map(str, sides))))
    return [*_series(claim), *found]


def equations(claim: Claim, correction: Claim | None, below: Sequence[Claim] = ()) -> list[tuple[str, str]]:
    """Both sides of the definitions of all names that the claim's formulas use, and of those that these use, each once.

    Lines of a proof use names of the claims ``below``, on which it rests. What defines a symbol by itself is left out.
    """
    table, found = defined(claim, below), []
    wanted = list(dict.fromkeys(_used(claim, correction, below)))
    for name in wanted:
        if name not in table:
            continue
        left, right = table[name]
        wanted += [other for other in dict.fromkeys(_NAME.findall(right)) if other not in wanted]
        told = names.written(left, claim, generated=True), names.written(right, claim, generated=True)
        sides = [formula.latex(side) for side in told]
        if None in sides or _bare(sides[0]) != _bare(sides[1]):
            found.append(told)
    return found


def _program(left: str, right: str) -> Markup | None:
    """A least value over what meets several conditions, each of them a formula between which lines break; else None."""
    start = right.find("least(")
    if start < 0 or not right.endswith(")") or len(right) < LONG:
        return None
    target, *others = names.split(right[start + len("least(") : -1])
    count = next(place for place, text in enumerate([*others, ""]) if not text.isidentifier())
    factor = right[:start].removesuffix("*")
    head = [formula.latex(text) for text in (left, *filter(None, [factor]), target)]
    over, conditions = ([formula.latex(text) for text in part] for part in (others[:count], others[count:]))
    if None in (*head, *over, *conditions) or not over:
        return None
    name, *value = map(str, head)
    unknown = ", ".join(map(str, over))
    told = Markup(";<br>").join(mathml.shown(str(one)) for one in conditions)
    return Markup("{} over all {} with<br>{}").format(
        mathml.shown(rf"{name} = {' '.join([*value[:-1], chr(92) + 'min', value[-1]])}"), mathml.shown(unknown), told
    )


def _series(claim: Claim) -> list[Markup]:
    """The power series of the hypotheses by the paper's letters for their coefficients, where it has them."""
    told = names.said(claim)
    hypotheses, letters = str(told.get("hypotheses", "")), told.get("letters", {})
    return [
        mathml.shown(rf"{stem}(t) = \sum_{{k \geq 0}} {formula.name(letter)}_k t^k")
        for stem, letter in ((name.removesuffix("[]"), letter) for name, letter in letters.items())
        if f"{stem}[]" in letters and re.search(rf"\b{stem} entire\b", hypotheses)
    ]


def defined(claim: Claim, below: Sequence[Claim] = ()) -> Mapping[str, tuple[str, str]]:
    """The names that the claims' data define, each with both sides of its definition: ``U`` as U[i] = beta*x[i].

    What the claim itself assumes of a name says what that is, and no definition of a claim ``below`` does.
    """
    table: dict[str, tuple[str, str]] = {}
    own = {*_NAME.findall(" ".join((*claim["assumptions"], str(names.said(claim).get("hypotheses", "")))))}
    for one in (*below, claim):
        told = names.said(one)
        parts = [part.partition(" = ") for part in names.split(told.get("where", "")) if part]
        found = {left.partition("[")[0]: (left, right) for left, _, right in parts}
        named = {name: text for name, text in told.get("quantities", {}).items() if name.isidentifier()}
        found |= {name: (name, text) for name, text in named.items() if name not in names.BOUNDS}
        table |= {name: sides for name, sides in found.items() if one is claim or name not in own}
    return table


def beneath(claim: Claim, table: Mapping[str, Claim]) -> list[Claim]:
    """The claims on which one rests, directly or through others, the nearest last."""
    found: dict[str, Claim] = {}
    queue = [claim]
    for one in queue:
        new = {name: table[name] for name in one["depends_on"] if name in table and name not in found}
        found |= new
        queue += new.values()
    return [*found.values()][::-1]


def spelt(text: str, claim: Claim, below: Sequence[Claim]) -> str:
    """A line of a proof, with the definitions of names that are words and no symbols: E[x[i].T*W_QK*x[j]] for EiWj."""
    table = defined(claim, below)

    def put_in(found: re.Match[str]) -> str:
        name = found[0]
        if name not in table or formula.recognised(name):
            return name
        return f"({names.written(table[name][1], claim, generated=True)})"

    return _NAME.sub(put_in, text)


def _used(claim: Claim, correction: Claim | None, below: Sequence[Claim]) -> list[str]:
    """The names in what is printed and derived, in the definitions of that, and in the lines of the proof."""
    quantities = names.said(claim).get("quantities", {})
    formulas = (*claim["printed"].values(), *(correction["printed"].values() if correction else ()))
    texts = [names.written(text, claim) for text in formulas]
    texts += [quantities[name] for name in claim["printed"] if name in quantities]
    texts.append(str(names.said(claim).get("hypotheses", "")))
    for line in claim["proof"].get("lines", ()):
        texts += [] if line.get("latex") else [spelt(line[side], claim, below) for side in ("printed", "derived")]
    for one in claim["proof"].get("concludes", ()):
        texts += [one["value"], one["limit"], one["remainder"]]
    bound = {found for text in texts for found in re.findall(r", (\w+)(?=, )", text)}
    return [name for text in texts for name in _NAME.findall(text) if name not in bound]


def _bare(latex: str | None) -> str:
    return re.sub(r"\\operatorname|\\mathrm|\\left|\\right|[{}\s]", "", latex or "")
