"""The cases of a claim typeset: their parameters, small matrices as such, and the values found there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from markupsafe import Markup, escape

from proofs_check.claims.report import Case, Claim
from proofs_check.report.site import formula, mathml, names
from proofs_check.report.site.numbers import finite, number
from proofs_check.report.telling import against, before, ordered, outcome, parameters, scaled, sourced


def example(claim: Claim) -> dict[str, str] | None:
    """The counterexample in words: the matrices that its parameters stand for, where it has them, else these."""
    given = claim["counterexample"]
    if given is None:
        return None
    params = at_case(given["params"], claim)
    what, value = scaled(given)
    quantities = names.said(claim).get("quantities", {})
    return {
        "params": at_case(given["given"], claim) if given.get("given") else params,
        "drawn": params if given.get("given") else Markup(""),
        "quantity": _quantity(claim),
        # what another quantity of the suite is read for stands in no print
        "by": "reading" if claim["printed"].get(_name(claim)) in quantities else sourced("printed formula", claim),
        "printed": typeset(outcome(given["printed"])),
        "true": typeset(outcome(given["true"])),
        "limit": mathml.sentence(given["limit"]),
        "finite_of": mathml.sentence(what),
        "finite": typeset(value),
    }


def _name(claim: Claim) -> str:
    """The printed name of what the values of the counterexample are of, where a case of the report has them."""
    given = claim["counterexample"]
    if given is None or len(claim["printed"]) < 2:
        return next(iter(claim["printed"]), "")
    sides = (str(given["printed"]), str(given["true"]))
    for raw in claim["cases"]:
        case = against(raw)
        # a counterexample of a limit has its place beside the case
        there = all(given["params"].get(name) == value for name, value in case["params"].items())
        if there and (str(case["printed"]), str(case["derived"])) == sides:
            return raw["quantity"]
    return ""


def _quantity(claim: Claim) -> Markup:
    """Of which quantity the values of the counterexample are, where several are printed."""
    given, name = claim["counterexample"], _name(claim)
    if given is None or given.get("quantity") or len(claim["printed"]) < 2 or not name:
        return mathml.sentence(given.get("quantity", "")) if given else Markup("")
    shown = names.quantity(name, claim)
    label = Markup("the values are of {}").format(names.label(name))
    return label if str(shown) == names.label(name) else label + Markup(", {}").format(shown)


def at_case(params: Mapping[str, Any], claim: Claim) -> Markup:
    """A case typeset: numbers, small vectors and matrices; longer ones as text."""
    unsaid = names.unsaid(params, claim)
    shown = [name for name in ordered(params) if name not in unsaid]
    return Markup(", ").join(_given(names.letter(name, claim), params[name]) for name in shown)


def _given(name: str, value: Any) -> Markup:
    latex = given_latex(name, value)
    return (mathml.converted(latex) if latex else None) or mathml.sentence(parameters({name: value}))


def given_latex(name: str, value: Any) -> str | None:
    """A parameter of a case in LaTeX, small matrices and vectors typeset; None where it is to be text."""
    if isinstance(value, list):
        return formula.latex(f"{name} == {value}".replace("'", ""))
    if name in ordered({name: 0}) and (latex := formula.latex(str(value))):
        symbol = formula.name(name) if formula.recognised(name) else rf"\text{{{name}}}" if name.isalpha() else None
        return f"{symbol} = {latex}" if symbol and name != "start" else None
    return None


def typeset(text: Any) -> Markup:
    """A number or a closed expression typeset; as text where it is none."""
    latex = formula.latex(number(text))
    return (mathml.converted(latex) if latex else None) or Markup(escape(number(text)))


def valued(case: Case, side: Literal["printed", "derived"]) -> Markup:
    """A value of a case: as it is where it is a number, else typeset, with six digits of it."""
    text, given = case[side], case.get("numbers")
    value = given[side] if given else None
    if text is None or value is None or isinstance(value, bool) or finite(text) is not None:
        return Markup(escape(number(text)))
    return Markup("{} ≈ {}").format(typeset(text), number(value))


def simulated(claim: Claim) -> list[dict[str, str]]:
    """The simulated cases as texts of a table."""
    return [
        {
            "params": Markup("; ").join(
                filter(None, (at_case(case["params"], claim), mathml.sentence(sourced(before(raw), claim))))
            ),
            "quantity": mathml.sentence(names.estimated(case["quantity"], claim)),
            "printed": valued(case, "printed"),
            "derived": valued(case, "derived"),
            "estimate": number(case["estimate"]),
            "low": number(case["low"]),
            "high": number(case["high"]),
            "samples": f"{case['samples']:,}".replace(",", "\N{NARROW NO-BREAK SPACE}"),
            "z": "—" if case["z"] is None else f"{float(case['z']):.3g}",
        }
        for raw, case in ((raw, against(raw)) for raw in claim["cases"])
    ]
