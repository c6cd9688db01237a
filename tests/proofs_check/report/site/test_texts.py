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
from proofs_check.report.site.comments import escaped, safe
from proofs_check.report.site.markdown import code, math
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
    # (15) is right to leading order
    small = text.index("Wrong in lower-order terms only")
    assert small < text.index("Eq. (15)") < text.index(r"\told{Printed}") < text.index("longtable}", small)
    appendix = text[text.index("Appendix. All statements") :]
    shown = [claim for claim in sample_report["claims"] if not claim["id"].endswith(CORRECTED)]
    assert len(re.findall(r"&.*&.* \\\\$", appendix, re.M)) == sum(claim["paper"]["id"] == "bao2024" for claim in shown)
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
    assert "Lemma 9 & refuted & by Lemma 8" in text


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


def test_text_is_escaped_for_latex() -> None:
    assert escaped(r"50% of \x_1 {a} & #2 $3 ~^") == (
        r"50\% of \textbackslash{}x\_1 \{a\} \& \#2 \$3 \textasciitilde{}\textasciicircum{}"
    )
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
