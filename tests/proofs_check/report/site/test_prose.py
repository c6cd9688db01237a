"""Mathematics in sentences: what people write is read, and words stay words."""

from __future__ import annotations

import time

import pytest

from proofs_check.report.site import mathml, prose


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("E[a^T W x x^T W x]", r"\mathbb{E}[a^{\top} W x x^{\top} W x]"),
        ("(x_i)^T W (x_j1) = m^T W m", r"x_{i}^{\top} W x_{j_{1}} = m^{\top} W m"),
        ("E[(a)^T W (x_x)] = aWm", r"\mathbb{E}[a^{\top} W x] = a^{\top}W m"),
        ("|W_Q|_F^2 + |W_K|_F^2", r"\lVert W_{Q} \rVert_{F}^{2} + \lVert W_{K} \rVert_{F}^{2}"),
        ("2 |W_QK|_*", r"2\,\lVert W_{\mathrm{QK}} \rVert_{*}"),
        ("<gamma^i, omega>", r"\langle \gamma^{i}, \omega \rangle"),
        ("(4 kappa sqrt(d) / Delta_diag) r_eta", r"(4 \kappa \sqrt{d}/\Delta_{\mathrm{diag}}) r_{\eta}"),
        ("Lambda exp(omega_reg.z)", r"\Lambda \exp(\omega_{\mathrm{reg}} \cdot z)"),
        ("E[(omega_1.z)^2]", r"\mathbb{E}[(\omega_{1} \cdot z)^{2}]"),
        ("gamma~^i_alpha = 1/T^2", r"\tilde{\gamma}^{i}_{\alpha} = 1/T^{2}"),
        ("x_{t+1} ~ N(x_t, Sigma)", r"x_{t + 1} \sim N(x_{t}, \Sigma)"),
        ("2 sum_{j>i} E[x_i^T x_j]", r"2\,\sum_{j > i} \mathbb{E}[x_{i}^{\top} x_{j}]"),
        ("(-1/T**2)*sum_(0<a<=T) x_a", r"(-1/T^{2})\,\sum_{0 < a \leq T} x_{a}"),
        ("W_Q in R^(m x d)", r"W_{Q} \in \mathbb{R}^{m \times d}"),
        ("E|x_t|^q <= t^{q/2}", r"\mathbb{E}|x_{t}|^{q} \leq t^{q/2}"),
        ("tr(W Sigma_D) >= 2", r"\operatorname{tr}(W \Sigma_{D}) \geq 2"),
        ("T -> infinity", r"T \to \infty"),
        ("dist(0, conv{z_i : i in J})", r"\operatorname{dist}(0, \operatorname{conv}\{z_{i} : i \in J\})"),
        ("conv{z_1, ..., z_T}", r"\operatorname{conv}\{z_{1}, \dots, z_{T}\}"),
        ("conv{z_j : J sees j}", r"\operatorname{conv}\{z_{j} : \text{J sees j}\}"),
        ("x_j'^T W", r"x_{j}'^{\top} W"),
        ("rho'(theta)", r"\rho'(\theta)"),
    ],
)
def test_what_people_write_is_read_whole(text: str, latex: str) -> None:
    assert list(prose.runs(text)) == [(latex, text)]
    assert mathml.converted(latex) is not None
    around = list(prose.runs(f"where {text}, as above"))
    assert around == [(None, "where "), (latex, text), (None, ", as above")]


@pytest.mark.parametrize(
    "text",
    [
        "in (5), a point (see above) of W (and m) is a T (x)",
        "a W is a matrix, I say; A theta",
        "either|or, not [both]",
        "see my_file.c, x_1.then and (i.e. so)",
        "either / or, W / nothing",
        "a^b^ ^T E[ E[x |x <y> (",
        "the print -> the truth",
        "x <script>alert(1)</script>",
        "",
    ],
)
def test_words_stay_words(text: str) -> None:
    assert [part for latex, part in prose.runs(text) if latex] == []


def test_texts_are_kept_whole() -> None:
    text = "with x^2 <= 1 and (W_Q)^T W_K: every T -> infinity, |a|^2."
    found = list(prose.runs(text))
    assert "".join(part for _, part in found) == text
    assert [part for latex, part in found if latex] == ["x^2 <= 1", "(W_Q)^T W_K", "T -> infinity", "|a|^2"]


def test_a_formula_may_have_an_apostrophe_after_it() -> None:
    found = list(prose.runs("the mean of a^T W b and eta_ci^T W eta_ci's, and no more"))
    assert [part for latex, part in found if latex] == ["a^T W b", "eta_ci^T W eta_ci"]


def test_a_long_formula_may_be_broken_between_its_sides_and_summands() -> None:
    assert prose.lines(r"a + \frac{b + c}{d} = (e - f) \leq g") == ["a", r"+ \frac{b + c}{d}", "= (e - f)", r"\leq g"]
    shown = str(mathml.sentence("E[(x_i)^T W (x_T) * (x_i)^T W (x_T)] = 2*aWSWm + aWm*mWm"))
    assert shown.count("<math>") == 3 and "^" not in shown


@pytest.mark.parametrize("text", ["(" * 5_000, "|" * 5_000, "a^T " * 6_000, "E[" * 5_000, "x" * 40_000, "a_b " * 6_000])
def test_no_text_takes_long(text: str) -> None:
    start = time.process_time()
    assert "".join(part for _, part in prose.runs(text)) == text
    assert time.process_time() - start < 2
