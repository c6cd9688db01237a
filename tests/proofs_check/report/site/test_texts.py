"""Markdown and LaTeX: all claims are there, nothing in them is read as markup, and the erratum compiles."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from proofs_check.report import site
from proofs_check.report.site.erratum import escaped, safe
from proofs_check.report.site.markdown import code
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


def test_the_erratum_holds_the_refuted_claims_of_its_paper(sample_report: Report) -> None:
    text = site.erratum(sample_report, "bao2024")
    assert re.findall(r"\\texttt\{(bao2024[^}]*)\}", text)[:1] == ["bao2024.appA.eq15"]
    assert "bao2024.appA.eq11" not in text
    assert "One claim is refuted" in text and "the print gives 0, the truth is 1" in text
    assert "No claims are refuted" in site.erratum(sample_report, "lampert2026")


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
@pytest.mark.parametrize("bad", [False, True])
def test_the_erratum_compiles(bad: bool, sample_report: Report, tmp_path: Path) -> None:
    report = hostile(sample_report) if bad else sample_report
    if bad:
        refuted = report["claims"][1]
        first = report["claims"][0]
        refuted.update({key: first[key] for key in ("statement", "reading", "where", "printed", "proof", "symbolic")})
    (tmp_path / "e.tex").write_text(site.erratum(report, "bao2024"), encoding="utf-8")
    command = [str(PDFLATEX), "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "e.tex"]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, errors="replace", timeout=60, check=False
    )
    assert done.returncode == 0, done.stdout[-1500:]
    assert (tmp_path / "e.pdf").stat().st_size > 5_000
