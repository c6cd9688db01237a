"""What the symbols of a claim are: the definitions that its page shows, and the symbols that nothing on it defines."""

from __future__ import annotations

import re
from collections.abc import Mapping

from markupsafe import Markup

from proofs_check.claims.report import Claim
from proofs_check.report.site import formula, mathml, names

_NAME = re.compile(r"(?<![\w.])[A-Za-z]\w*(?![\w(])")
#: What needs no definition: the model's tokens, matrices, lengths and positions, means, kinds of norms and constants.
COMMON = {"x", "W", "Sigma", "I", "T", "d", "i", "j", "E", "Var", "Cov", "Kurt", "P", "pi", "oo", "lim"}
COMMON |= {"fro", "nuclear", "True", "False", "if", "iff"}


def definitions(claim: Claim, correction: Claim | None) -> list[Markup]:
    """The definitions of all names that the claim's formulas use, and of those that these use, each once."""
    table, found = defined(claim), []
    wanted = list(dict.fromkeys(_used(claim, correction)))
    for name in wanted:
        if name not in table:
            continue
        left, right = table[name]
        wanted += [other for other in dict.fromkeys(_NAME.findall(right)) if other not in wanted]
        sides = [formula.latex(side) for side in (left, names.written(right, claim, generated=True))]
        if None in sides:
            found.append(mathml.code(f"{left} = {right}"))
        elif _bare(sides[0]) != _bare(sides[1]):
            found.append(mathml.shown(" = ".join(map(str, sides))))
    return found


def undefined(claim: Claim, correction: Claim | None) -> list[str]:
    """The names in the claim's formulas that its page neither defines nor assumes something of."""
    told = names.said(claim)
    texts = [claim["reading"], claim["quantity"], *claim["assumptions"]]
    texts += [str(told.get(part, "")) for part in ("hypotheses", "law", "limit")]
    texts += [*told.get("letters", {}), *told.get("letters", {}).values(), *told.get("along", {})]
    known = {*defined(claim), *COMMON, *formula.functions(), *(name for text in texts for name in _NAME.findall(text))}
    return sorted({name for name in _used(claim, correction) if name not in known and not formula.telling(name)})


def defined(claim: Claim) -> Mapping[str, tuple[str, str]]:
    """The names that the claim's data define, each with both sides of its definition: ``U`` as U[i] = beta*x[i]."""
    told = names.said(claim)
    parts = [part.partition(" = ") for part in names.split(told.get("where", "")) if part]
    table = {left.partition("[")[0]: (left, right) for left, _, right in parts}
    named = {name: text for name, text in told.get("quantities", {}).items() if name.isidentifier()}
    return table | {name: (name, text) for name, text in named.items() if name not in names.BOUNDS}


def _used(claim: Claim, correction: Claim | None) -> list[str]:
    """The names in what is printed and derived, and in the definitions of what is printed."""
    quantities = names.said(claim).get("quantities", {})
    formulas = (*claim["printed"].values(), *(correction["printed"].values() if correction else ()))
    texts = [names.written(text, claim) for text in formulas]
    texts += [quantities[name] for name in claim["printed"] if name in quantities]
    texts.append(str(names.said(claim).get("hypotheses", "")))
    for one in claim["proof"].get("concludes", ()):
        texts += [one["value"], one["limit"], one["remainder"]]
    bound = {found for text in texts for found in re.findall(r", (\w+)(?=, )", text)}
    return [name for text in texts for name in _NAME.findall(text) if name not in bound]


def _bare(latex: str | None) -> str:
    return re.sub(r"\\operatorname|\\mathrm|\\left|\\right|[{}\s]", "", latex or "")
