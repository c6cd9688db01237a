"""Other notations: symbols that can mean one thing only are read, every other one is refused with what to write."""

from __future__ import annotations

import re
from itertools import groupby

from theorems.statement.expression import StatementError

#: Names for symbols: refused beside another letter, as a product needs its *.
_NAMES = {
    "Σ": "Sigma", "λ": "lam", "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "η": "eta",
    "θ": "theta", "κ": "kappa", "μ": "mu", "ν": "nu", "ξ": "xi", "ρ": "rho", "σ": "sigma", "τ": "tau", "φ": "phi",
    "ψ": "psi", "ω": "omega", "π": "pi", "∞": "oo", "𝔼": "E", "ℙ": "P", "ℝ": "R", "∈": " in ",
}  # fmt: skip
#: Signs, each for one of the language.
_SIGNS = {
    "≤": "<=", "≥": ">=", "≠": "!=", "→": "->", "∼": "~", "−": "-", "·": "*", "⋅": "*", "×": "*", "ᵀ": ".T",
    "√": "sqrt", "⊤": ".T", "\N{NO-BREAK SPACE}": " ",
}  # fmt: skip
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_MENDS = {
    "‖": "a norm is norm(v), or norm(W, 2), norm(W, fro)",
    "∑": "a sum is sum(expression, j, 1, T)",
    "∏": "products over an index are not in the language",
    "⟨": "an inner product is a.T*b",
    "⟩": "an inner product is a.T*b",
    "′": "the transpose is .T",
    "∇": "a gradient is grad(f, W)",
    "∂": "a derivative is diff(f, theta)",
    "∀": "statements are for every ... as they stand; drop it",
    "⁻": "the inverse is inv(W)",
    "±": "state the two signs one by one",
    "≈": "write an error term, + o(T), or a limit, ->",
    "\N{MICRO SIGN}": "write mu",
    **dict.fromkeys("₀₁₂₃₄₅₆₇₈₉ᵢⱼₖₗₘₙₛₜᵤᵥₓ", "a position is written x[i]"),
}
#: Calls that other languages have.
SYNONYMS = {
    **dict.fromkeys(("Tr", "trace", "Trace", "TR"), "write tr(...)"),
    **dict.fromkeys(("T", "transpose", "t"), "the transpose is W.T"),
    **dict.fromkeys(("inner", "dot"), "an inner product is a.T*b"),
    **dict.fromkeys(("ln", "Log"), "write log(...)"),
    **dict.fromkeys(("inverse", "Inv"), "write inv(...)"),
    **dict.fromkeys(("EE", "Expectation", "expectation", "mean_of"), "write E[...]"),
    **dict.fromkeys(("var", "Variance", "variance"), "write Var[...]"),
    **dict.fromkeys(("cov", "Covariance", "covariance"), "write Cov[a, b]"),
    **dict.fromkeys(("Pr", "Prob", "prob"), "write P[a > b]"),
    **dict.fromkeys(("Sum", "SUM"), "a sum is sum(expression, j, 1, T)"),
}
_OTHERS = (
    (re.compile(r"\\\|"), "a norm is norm(v), or norm(W, 2), norm(W, fro)"),
    (re.compile(r"\\[A-Za-z]*"), "LaTeX is not read; write Sigma, lam, norm(v), sum(expression, j, 1, T)"),
    (re.compile(r"\|\|"), "a norm is norm(v), or norm(W, 2), norm(W, fro)"),
    (re.compile(r"\|"), "write abs(a) of a number, norm(v) of a vector"),
    (re.compile(r"=<"), "write <="),
    (re.compile(r"=>"), "write >= for a comparison, A if B for an implication"),
    (re.compile(r"(?:^|(?<=[\[(,*/+=-]))\s*(?P<at><)(?!=)"), "an inner product is a.T*b, e.g. x[i].T*x[j]"),
    (re.compile(r"\bsum_"), "a sum is sum(expression, j, 1, T)"),
    (re.compile(r"\w_\{"), "a position is written in square brackets: x[i]"),
    (re.compile(r"@"), "a product is written with *, of matrices too"),
)


def plain(text: str) -> str:
    """The text in ASCII where its symbols have one meaning; StatementError at another one, with what to write."""
    found = []
    for place, character in enumerate(text):
        if (name := _NAMES.get(character)) is not None:
            beside = text[place - 1 : place] + text[place + 1 : place + 2]
            if any(one.isalnum() or one == "_" for one in beside) and name != " in ":
                raise StatementError(f"{character} stands beside another name; write * for a product", text, place)
            found.append(name)
        elif character in _MENDS:
            raise StatementError(f"{character} is not read: {_MENDS[character]}", text, place)
        else:
            found.append(_SIGNS.get(character, character))
    raised = "⁰¹²³⁴⁵⁶⁷⁸⁹"
    runs = ("".join(run) for _, run in groupby("".join(found), key=lambda one: one in raised))
    return "".join(f"**{run.translate(_RAISED)}" if run[0] in raised else run for run in runs)


def check_notation(text: str) -> None:
    """Raise StatementError at a notation that the language has not, with what to write."""
    for pattern, mend in _OTHERS:
        if (match := pattern.search(text)) is not None:
            at = match.start("at") if "at" in pattern.groupindex else match.start()
            raise StatementError(f"{text[at : match.end()].strip()} is not read: {mend}", text, at)
    quotes = 0
    for place, character in enumerate(text):
        if character == "'":
            if quotes % 2 == 0 and re.search(r"[\w\])]$", text[:place]):
                raise StatementError("' is not read: the transpose is .T", text, place)
            quotes += 1
