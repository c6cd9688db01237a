"""Markdown and LaTeX: all claims are there, nothing in them is read as markup, and the comments compile."""

from __future__ import annotations

import copy
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from proofs_check.inputs.expect import CORRECTED
from proofs_check.report import site
from proofs_check.report.site import view
from proofs_check.report.site.comments import _check, _shared, escaped, safe, sentence, statement
from proofs_check.report.site.markdown import code, math
from tests.proofs_check.report.byhand.test_byhand import refuted
from tests.proofs_check.report.site.test_pages import EVIL, hostile

Report = Any
PDFLATEX = shutil.which("pdflatex")


def test_markdown_holds_every_claim(sample_report: Report) -> None:
    text = site.markdown(sample_report)
    told = re.findall(r"^#### . (\S+): ", text, re.M)
    assert [name.replace("\\", "") for name in told] == [claim["id"] for claim in sample_report["claims"]]
    assert "$i \\operatorname{tr}(W\\Sigma)$" in text
    assert "**first false line**" in text


def test_markdown_escapes(sample_report: Report) -> None:
    text = site.markdown(hostile(sample_report))
    outside = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", text)
    outside = "\n".join(line for line in outside.split("\n") if not line.startswith("    "))
    assert EVIL not in outside and "\\<script" not in outside
    assert code("a ``b`` c") == "```a ``b`` c```" and code("`") == "`` ` ``"
    rows = [line for line in text.split("\n") if line.startswith("| Appendix")]
    assert rows and all(len(re.findall(r"(?<!\\)\|", row)) == 5 for row in rows)


def test_no_text_of_a_lemma_is_read_as_markdown(sample_report: Report) -> None:
    """A link or an image in its LaTeX, a comment, and bars and dollars in a table of lines."""
    report = copy.deepcopy(sample_report)
    first = next(claim for claim in report["claims"] if claim["proof"]["lines"])
    first["statement"] = r"\text{![a](http://a.example/b.png)}"
    first["proof"]["lines"][0]["latex"] = r"a | b$ ![i](u) $"
    first["proof"]["lines"][0]["derived"] = "a | ] b"
    text = site.markdown(report)
    assert r"$\text{![a] (http://a.example/b.png)}$" in text
    (row,) = (line for line in text.split("\n") if "![i](u)" in line)
    assert r"`a \| b$ ![i](u) $`" in row and len(re.findall(r"(?<!\\)\|", row)) == 5
    assert math("a % b") == "`a % b`" and math(r"a\%") == r"$a\%$"


def test_the_comments_are_of_their_paper_by_cause(sample_report: Report) -> None:
    text = site.comments(sample_report, "bao2024")
    assert "1 are false as printed" not in text and "[author of these comments]" in text
    assert "as read" not in text.split(r"\finding")[0]
    next(one for one in sample_report["claims"] if one["verdict"] == "refuted")["fidelity"] = "own"
    own = site.comments(sample_report, "bao2024")
    assert " false as printed, 1 of them as read" in own and r"\told{As read}" in own
    # (15) is right to leading order
    small = text.index("Wrong in lower-order terms only")
    assert small < text.index("Eq. (15)") < text.index(r"\told{Printed}") < text.index("multicols}", small)
    appendix = text[text.index("Appendix. All statements") :]
    shown = [claim for claim in sample_report["claims"] if not claim["id"].endswith(CORRECTED)]
    rows = sum(claim["paper"]["id"] == "bao2024" for claim in shown)
    assert len(re.findall(r"^\\row\{.+\}\{\w.*\}$", appendix, re.M)) == rows
    assert "None of" in site.comments(sample_report, "lampert2026")


def test_each_cause_has_its_print_correction_reason_and_check(sample_report: Report) -> None:
    """Each once and in this order; what is wrong in lower order only comes last, and heirs are not told at length."""
    first = next(claim for claim in sample_report["claims"] if claim["verdict"] == "refuted")
    grave, heir = {**first, "id": "bao2024.x.grave", "starts": []}, {**first, "id": "bao2024.x.heir", "starts": []}
    grave["where"], heir["where"], heir["depends_on"] = "Lemma 8", "Lemma 9", [grave["id"]]
    report: Report = {**sample_report, "claims": [*sample_report["claims"], heir, grave]}
    text = site.comments(report, "bao2024")
    findings = text[: text.index("Appendix. All")].split(r"\finding{")[1:]
    assert [part.partition("}")[0] for part in findings] == ["Lemma 8", "Eq. (15)"]
    for part in findings:
        heads = re.findall(r"\\told\{(\w+)\}", part)
        assert [head for head in heads if head != "Inherit"] == ["Printed", "Correct", "Reason", "Check"]
    assert r"\told{Inherit}{Lemma 9" in findings[0]
    assert r"\row{Lemma 8}{false, no. 1}" in text and r"\row{Lemma 9}{false, no. 1}" in text


def test_what_several_checks_say_of_the_tokens_is_said_once() -> None:
    said = "the tokens are numbers with E[x_s x_t] = s for s <= t"
    claims = [refuted(f"bao2024.appA.eq{number}") | {"symbols": []} for number in (15, 16)]
    assert _shared(claims[:1]) == []
    shared = _shared(claims)
    assert shared == [sentence(said)]
    for claim in claims:
        whole, short = _check(claim, []), _check(claim, shared)
        assert whole.replace(": " + shared[0], "") == short != whole and short.startswith("Take $d = 1$, ")


def test_what_only_repeats_print_and_correction_is_no_reason(sample_report: Report) -> None:
    first = next(claim for claim in sample_report["claims"] if claim["id"] == "bao2024.appA.eq15")
    report = copy.deepcopy(sample_report)
    for claim in report["claims"]:
        if claim["id"].startswith(first["id"]):
            claim["printed"] = {"value": "1" if claim["id"] == first["id"] else "2"}
    (entry,) = (one for one in view.entries(report) if one.id == first["id"])
    assert view.slips(entry) and all("`1`" in text and "`2`" in text for text in view.slips(entry))
    reason = re.search(r"\\told\{Reason\}\{.*", site.comments(report, "bao2024"))
    assert reason is not None and "not" not in reason[0]


def test_a_further_false_step_takes_one_line(sample_report: Report) -> None:
    first = next(claim for claim in sample_report["claims"] if claim["id"] == "bao2024.appA.eq15")
    again = {**first, "id": "bao2024.x.again", "where": "Lemma 8"}
    report: Report = {**sample_report, "claims": [*sample_report["claims"], again]}
    text = site.comments(report, "bao2024")
    assert text.count(r"\told{Check}") == 1 and text.count(r"\told{Also}{Lemma 8: ") == 1
    assert r"\row{Lemma 8}{false in lower order, no. 1}" in text


def test_a_formula_may_only_show() -> None:
    assert safe(r"\frac{1}{2} \operatorname{tr}(W^2)")
    for latex in (
        r"\input{/etc/passwd}",
        r"\def\x{y}\x",
        r"x % y",
        r"\end{document}",
        "a & b",
        "^^41",
        "$",
        r"\begin{cases} a",
        "é",
    ):
        assert not safe(latex), latex


def test_the_words_of_a_statement_may_be_broken() -> None:
    told = statement(r"\text{the term } a_i \text{ is 50 of } \sum_j a_j \text{ at most}")
    assert told.startswith("the term ") and told.endswith(" at most") and " is 50 of " in told
    assert r"\fit{$\displaystyle a_i$}" in told and r"\text" not in told
    # what is not safe, or ends within the words, stays as it is
    assert r"\texttt" not in statement(
        r"\text{attention} \ \ge\ \ln(1+T e^{-\nu}) + \frac{\nu}{T^{-1}+e^{-\nu}} \quad \text{since}"
    )
    assert r"\texttt" in statement(r"\text{a} \input{b}") and statement(r"\sqrt{\text{a} b}").count(r"\fit") == 1


def test_text_is_escaped_for_latex() -> None:
    assert escaped(r"50% of \x_1 {a} & #2 $3 ~^") == (
        r"50\% of \textbackslash{}x\_1 \{a\} \& \#2 \$3 \textasciitilde{}\textasciicircum{}"
    )
    assert escaped("is '(B2), line 1' there") == "is `(B2), line 1' there"
    assert escaped("Súkeník, θ ≤ 1") == r"S\'{u}ken\'{i}k, $\theta$ $\leq$ 1"


@pytest.mark.skipif(PDFLATEX is None, reason="needs pdflatex (texlive-latex-recommended)")
@pytest.mark.parametrize("kind", ["plain", "wide", "hostile"])
def test_the_comments_compile(kind: str, sample_report: Report, tmp_path: Path) -> None:
    report = hostile(sample_report) if kind == "hostile" else sample_report
    refuted, first = report["claims"][1], report["claims"][0]
    if kind == "hostile":
        refuted.update({key: first[key] for key in ("statement", "reading", "where", "printed", "proof", "symbolic")})
    if kind == "wide":
        terms = [f"alpha_{k}*theta**{k}/(k + {k})" for k in range(60)]
        product = "*".join(f"({term})" for term in terms)
        refuted |= {"statement": " + ".join(rf"\alpha_{{{k}}}" for k in range(60)), "where": "a long place " * 20}
        refuted |= {"printed": {"value": product}, "reading": f"For {' + '.join(terms)} and {product}. " + "word " * 99}
        refuted["counterexample"] = {**refuted["counterexample"], "printed": product, "true": " + ".join(terms)}
    (tmp_path / "e.tex").write_text(site.comments(report, "bao2024"), encoding="utf-8")
    command = [str(PDFLATEX), "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "e.tex"]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, errors="replace", timeout=60, check=False
    )
    assert done.returncode == 0, done.stdout[-1500:]
    assert kind == "hostile" or "Overfull" not in done.stdout, done.stdout[-1500:]
    assert (tmp_path / "e.pdf").stat().st_size > 5_000
