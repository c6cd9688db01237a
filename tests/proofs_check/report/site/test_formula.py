"""Formulas are shown as they are printed: nothing is lost, nothing moves, and what is no formula stays text."""

from __future__ import annotations

import re

import pytest

from proofs_check.report.site import formula, runs
from proofs_check.report.site.compare import same
from proofs_check.statements.timing import time_limit

SHOWN = {
    "(2*theta**2 + 7/12)*tr2/lam**2": (
        r"\frac{\left(2 \theta^{2} + \frac{7}{12}\right) \operatorname{tr}((W\Sigma)^{2})}{\lambda^{2}}"
    ),
    "(i - 1)*tr1": r"(i - 1) \operatorname{tr}(W\Sigma)",
    "a - (b - c)": "a - (b - c)",
    "a/(b*c)*d": r"\frac{a}{b c} d",
    "-2*a": r"-2 a",
    "-x**2": "-x^{2}",
    "(-x)**2": "(-x)^{2}",
    "a*(-b)": r"a (-b)",
    "2*3": r"2 \cdot 3",
    "1/2*(1/2)": r"\frac{1}{2} \cdot \frac{1}{2}",
    "a/2*(1/2)": r"\frac{a}{2} \frac{1}{2}",
    "5*(r_eta + C)": r"5 (r_{\eta} + C)",
    "n*lam*dbar_c": r"n \lambda \bar{d}_{c}",
    "2*integral(sin(t)**n, t, 0, pi)": r"2 \int_{0}^{\pi} \sin(t)^{n} \,dt",
    "RisingFactorial(D + 1, k)": "(D + 1)_{k}",
    "mWm**2": r"\left(m^{\top} W m\right)^{2}".replace(r"\left(", "(").replace(r"\right)", ")").replace("} W", "}W"),
    "aSb": r"a^{\top}\Sigma  b",
    "x**(1/2)": "x^{1/2}",
    "sqrt(d*tr2)": r"\sqrt{d \operatorname{tr}((W\Sigma)^{2})}",
    "exp(-nu/2)": r"e^{-\nu/2}",
    "m*radial(2)**2": r"m \mathbb{E}[(r_t/\sqrt{d})^{2}]^{2}",
    "Indicator(r <= 2)": r"\mathbf{1}\left\{r \leq 2\right\}",
    "Sum(i, i, 1, T)*x": r"(\sum_{i=1}^{T} i) x",
    "a*Sum(i + 1, i, 1, T)": r"a \sum_{i=1}^{T} (i + 1)",
    "a*Sum(i, i, 1, T)*b": r"(a \sum_{i=1}^{T} i) b",
    "a - (b + Sum(i, i, 1, T))*c": r"a - (b + \sum_{i=1}^{T} i) c",
    "(a**b)**c": "(a^{b})^{c}",
    "(a/b)**2": r"(\frac{a}{b})^{2}",
    "a/(b - c)/d": r"\frac{\frac{a}{b - c}}{d}",
    "x**(a/(b*c))": "x^{a/(b c)}",
    "gamma_0[k]": r"\gamma_{0,k}",
    "1e-09": r"1 \cdot 10^{-9}",
    "E[(x[i].T*W*x[j])**2]": r"\mathbb{E}[(x_{i}^{\top} W x_{j})^{2}]",
    "Var[s[i]]/tr(W)": r"\frac{\operatorname{Var}[s_{i}]}{\operatorname{tr}(W)}",
    "Cov[x[i], x[j]]": r"\operatorname{Cov}[x_{i}, x_{j}]",
    "P[x[1].T*x[2] > 0]": r"\mathbb{P}[x_{1}^{\top} x_{2} > 0]",
    "E[norm(mean(x))**2]": r"\mathbb{E}[\lVert \bar{x} \rVert^{2}]",
    "norm(W, fro)": r"\lVert W \rVert_{F}",
    "norm(a/b)": r"\left\lVert \frac{a}{b} \right\rVert",
    "hyper((), (d/2,), d*q/4)": r"{}_{0}F_{1}(; d/2; d q/4)",
    # what the language of statements has, as that typesets it
    "every(p[j].T*p[j] = d, j, 0, C)": r"p_{j}^\top \, p_{j} = d\ \ \forall\, j=0,\dots,C",
    "norm(softmax(s)[1]*v[1])": r"\left\lVert \operatorname{softmax}\left(s\right)_{1} \, v_{1} \right\rVert",
    "norm(mean(z))": r"\lVert \bar{z} \rVert",
    "hull(z[i], i, J)": r"\operatorname{conv}\left\{z_{i} : i \in J\right\}",
    "columns(x[i], i, 1, T)": r"\left[x_{i}\right]_{i=1}^{T}",
    "onto(eta[c], c, 1, C)": r"P_{\operatorname{span}\left\{\eta_{c} : 1 \le c \le C\right\}}",
    "sum(E[x[j].T*x[j]], j, 1, T)": r"\sum_{j=1}^{T} \mathbb{E}[x_{j}^{\top} x_{j}]",
}


@pytest.mark.parametrize("text", SHOWN)
def test_a_formula_is_written_as_it_stands(text: str) -> None:
    found = formula.latex(text)
    assert found is not None
    assert re.sub(r"\\left(?=\()|\\right(?=\))", "", found) == re.sub(r"\\left(?=\()|\\right(?=\))", "", SHOWN[text])


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "a +",
        "lambda x: x",
        "f_1((a, b), c)",
        "f'x'",
        "a if b else c",
        "open('x')",
        "x.y",
        "1" * 7000,
        "a\0b",
        "(" * 500,
        "True",
        "1j",
    ],
)
def test_what_is_no_formula_gives_none(text: str) -> None:
    assert formula.latex(text) is None
    assert formula.summands(text) is None


def test_summands_are_the_formula_cut() -> None:
    text = "a + b*c - d/e + f"
    parts = formula.summands(text)
    assert parts == ["a", "+ b c", r"- \frac{d}{e}", "+ f"]
    assert " ".join(parts) == formula.latex(text)


def test_a_clause_is_its_word_and_its_conditions() -> None:
    assert formula.clause("iff a > 0 & b >= 0") == ("iff", ["a > 0", r"b \geq 0"])
    assert formula.clause("if only") == ("if", [r"\mathrm{only}"])
    assert formula.clause("a > 0") is None
    assert formula.clause("if ]") is None
    # as one would write it, and not as the difference that was compared with 0
    assert formula.clause("if lam - 17/20 >= 0") == ("if", [r"\lambda \geq \frac{17}{20}"])


@pytest.mark.parametrize(
    ("condition", "shown"),
    [
        ("lam - 17/20 >= 0", "lam >= 17/20"),
        ("budget - kappa*(4 - x)/d <= 0", "budget <= kappa*(4 - x)/d"),
        ("-x + 1 < 0.0", "1 < x"),
        ("a - (b - c) != 0", "a + c != b"),
        ("(a < b) - c > 0", "(a < b) > c"),
        ("theta - 1/2 = 0", "theta == 1/2"),
        # nothing to bring over, nothing to stay, no 0, a chain, no relation, no formula
        *[(same, same) for same in ("a + b > 0", "-a > 0", "a - b >= 1", "a - b > 0 > c", "a - b", "a - >= 0")],
    ],
)
def test_what_is_compared_with_0_is_written_with_two_sides(condition: str, shown: str) -> None:
    assert formula.sided(condition) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("W == [[1, 1/2], [0, 1]]", r"W = \begin{pmatrix} 1 & \frac{1}{2} \\ 0 & 1 \end{pmatrix}"),
        ("z == [1, 2]", r"z = \begin{pmatrix} 1 & 2 \end{pmatrix}"),
        ("x == [[3]]", "x = 3"),
        ("gamma[i][j]", r"(\gamma_{i})_{j}"),
        ("norm(W, 1)*sqrt(d)", r"\lVert W \rVert_{1 \to 1} \sqrt{d}"),
        ("W == diag(1, -1)", r"W = \operatorname{diag}(1, -1)"),
        ("Sum(inner(u, v[j])*s[j], (j, 1, m))", r"\sum_{j=1}^{m} \left\langle u, v_{j} \right\rangle s_{j}"),
        ("Sum(s[j], (j, 1))", None),
        # an interval
        ("[0, 1]", None),
        *[(f"W == {no}", None) for no in ("[]", "[[]]", "[[1], [2, 3]]", "[[[1], [0]]]", "[1, [2]]", str([0] * 17))],
    ],
)
def test_matrices_and_sums_of_sympy_are_typeset(text: str, shown: str | None) -> None:
    assert formula.latex(text) == shown


@pytest.mark.parametrize(
    ("text", "formulas"),
    [
        ("sum over 0 < _a <= i of _a = i**2/2 + i/2", ["0 < _a <= i", "_a = i**2/2 + i/2"]),
        ("by a W of rank one, see Eq. (9)", ["W"]),
        # names are no words of a sentence where they are multiplied, or under a root
        ("it is X*Gamma*own by and/or of exp(xy), not a/bc", ["X*Gamma*own", "exp(xy)"]),
        ("without every(p[j].T*p[j] = d, j, 0, 2*C) it fails", ["every(p[j].T*p[j] = d, j, 0, 2*C)"]),
        ("derived - printed = -2*theta*tr2/lam**2", ["-2*theta*tr2/lam**2"]),
        ("half-width of 75 samples", []),
        ("z_i^T W (z_0 - z_j) >= rho_K**2 for all", ["W", "rho_K**2"]),
        ("with S = a*b: (x.T*S) + 2*x", ["S = a*b", "(x.T*S) + 2*x"]),
        ("(x.T*S) holds, W (x.T*S) + 2*x", ["W", "2*x"]),
        ("u = (b - c) W d", ["u", "W", "d"]),
        ("u = b * (b - c) W d", ["u = b * (b - c)", "W", "d"]),
        # a connective is no factor, nor is a word after brackets
        ("so iff (b*c) > 0 and (b - c)**2 > 0", ["(b*c) > 0", "(b - c)**2 > 0"]),
        ("here m = (sqrt(b)/c**2) fails", ["m = (sqrt(b)/c**2)"]),
        ("at u = v = 1, v = exp(w): -1/T**2", ["u = v = 1", "v = exp(w)", "-1/T**2"]),
    ],
)
def test_formulas_are_found_in_sentences(text: str, formulas: list[str]) -> None:
    found = runs.pieces(text)
    assert [part for is_formula, part in found if is_formula] == formulas
    assert " ".join(part for _, part in found).replace(" ", "") == text.replace(" ", "")


def test_a_name_that_is_defined_with_a_binder_is_written_as_that_name() -> None:
    latex = formula.relation("rho_Q = dist(0, hull(z[i], i, J))")
    # where the claims' names are known, rho_Q is one of them
    assert latex is not None and latex.replace("{Q}", "Q").startswith(r"\rho_Q = \operatorname{dist}")
    assert formula.relation("rho_Q = dist(0, hull(z[i], i") is None


def test_formulas_are_the_same_only_where_they_agree() -> None:
    assert same("(theta - 1/2)*tr1", "tr1*(theta - 1/2)") is True
    assert same("(i - 1)*tr1", "i*tr1") is False
    assert same("exp(a)*exp(b)", "exp(a + b)") is True
    assert same("erf(a) + b", "erf(a) + b + 1") is False
    # they differ where x < 0 only, which no point shows
    assert same("Abs(x)", "x") is None
    assert same("Indicator(x > 1/2)", "Indicator(x >= 1/2)") is None
    assert same("if a > 0", "if a >= 0") is False
    assert same("((", "a") is None


#: Each part asks for its own parts more than once, or is one factor of many: short to write, long to work out.
GROWING = {
    "exponents": "exp(" * 60 + "x" + ")" * 60,
    "products": "x*(" * 60 + "x" + ")" * 60,
    "quotients": "x/(" * 60 + "x" + ")" * 60,
    "powers": "x**(" * 60 + "x" + ")" * 60,
    "norms": "norm(" * 60 + "x" + ")" * 60,
    "sums": "Sum(" * 60 + "k" + ", k, 1, T)" * 60,
}


def test_a_run_is_cut_at_relations_outside_brackets_alone() -> None:
    run = "P(0 <= N(a, b) <= 1) = erf(c) + 1 <= 2"
    assert runs.sides(run) == ["P(0 <= N(a, b) <= 1)", "=", "erf(c) + 1", "<=", "2"]


@pytest.mark.parametrize("name", GROWING)
def test_a_formula_is_written_in_as_many_steps_as_it_has_parts(name: str) -> None:
    with time_limit(5):
        written = formula.latex(GROWING[name])
    assert written is not None and len(written) < 60 * len(GROWING[name])


@pytest.mark.parametrize("other", ["i*tr1", "(a0 + b0)**30/(a1 + b1)**29"])
def test_formulas_are_compared_in_bounded_work(other: str) -> None:
    """Thirty factors of three terms would be 3**30 terms, multiplied out."""
    with time_limit(5):
        assert same("*".join(f"(a{k} + b{k} + {k})" for k in range(30)), other) is False


def test_a_moment_of_a_length_is_found_in_a_sentence() -> None:
    one, two = "12*m*radial(2)**2*(y.T*y)**2*(m/2 - 1/2)/(24*d + 48)", "m*radial(2)**2*(y.T*y)**2/(4*(d + 2))"
    found = [part for is_formula, part in runs.pieces(f"1 < 2: left side {one}, right side {two}") if is_formula]
    assert found == ["1 < 2", one, two]
