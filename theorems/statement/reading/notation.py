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
    "‖": "write norm(v), or norm(W, 2), norm(W, fro)",
    "∑": "write sum(expression, j, 1, T)",
    "∏": "write prod(expression, j, 1, n)",
    "⟨": "write a.T*b for an inner product",
    "⟩": "write a.T*b for an inner product",
    "′": "write .T for the transpose",
    "∇": "write grad(f, W)",
    "∂": "write diff(f, theta)",
    "∀": "statements are for every ... as they stand; drop it",
    "⁻": "write inv(W)",
    "±": "state the two signs one by one",
    "≈": "write an error term, + o(T), or a limit, ->",
    "\N{MICRO SIGN}": "write mu",
    **dict.fromkeys("₀₁₂₃₄₅₆₇₈₉ᵢⱼₖₗₘₙₛₜᵤᵥₓ", "write x[i] for a token"),
}
#: Calls that other languages have.
SYNONYMS = {
    **dict.fromkeys(("Tr", "trace", "Trace", "TR"), "write tr(...)"),
    **dict.fromkeys(("T", "transpose", "t"), "write W.T for the transpose"),
    **dict.fromkeys(("inner", "dot"), "write a.T*b for an inner product"),
    **dict.fromkeys(("ln", "Log"), "write log(...)"),
    **dict.fromkeys(("inverse", "Inv"), "write inv(...)"),
    **dict.fromkeys(("EE", "Expectation", "expectation", "mean_of"), "write E[...]"),
    **dict.fromkeys(("var", "Variance", "variance"), "write Var[...]"),
    **dict.fromkeys(("cov", "Covariance", "covariance"), "write Cov[a, b]"),
    **dict.fromkeys(("Pr", "Prob", "prob"), "write P[a > b]"),
    **dict.fromkeys(("Sum", "SUM"), "write sum(expression, j, 1, T)"),
}
_OTHERS = (
    (re.compile(r"\\\|"), "write norm(v), or norm(W, 2), norm(W, fro)"),
    (re.compile(r"\\[A-Za-z]*"), "write plain names for LaTeX, Sigma, lam, norm(v), sum(expression, j, 1, T)"),
    (re.compile(r"\|\|"), "write norm(v), or norm(W, 2), norm(W, fro)"),
    (re.compile(r"\|"), "write abs(a) of a number, norm(v) of a vector"),
    (re.compile(r"=<"), "write <="),
    (re.compile(r"=>"), "write >= for a comparison, A if B for an implication"),
    (re.compile(r"(?:^|(?<=[\[(,*/+=-]))\s*(?P<at><)(?!=)"), "write a.T*b for an inner product, e.g. x[i].T*x[j]"),
    (re.compile(r"\bsum_"), "write sum(expression, j, 1, T)"),
    (re.compile(r"\w_\{"), "write a position in square brackets, x[i]"),
    (re.compile(r"!(?!=)"), "write factorial(n)"),
    (re.compile(r"//"), "write a/b for a quotient"),
    (re.compile(r"%"), "remainders are not in the language; state the cases one by one"),
    (re.compile(r"\$"), "drop it"),
    (re.compile(r"@"), "write * for a product, of matrices too"),
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
                raise StatementError("' is not read: write .T for the transpose", text, place)
            quotes += 1
