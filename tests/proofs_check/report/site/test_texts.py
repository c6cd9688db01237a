"""Markdown and LaTeX: all claims are there, nothing in them is read as markup, and the comments compile."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from proofs_check.report import site
from proofs_check.report.site.comments import escaped, safe
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


def test_the_comments_are_of_their_paper_by_cause(sample_report: Report) -> None:
    text = site.comments(sample_report, "bao2024")
    assert "1 are false as printed" not in text
    # (15) is right to leading order
    small = text.index("Wrong in lower order only")
    assert small < text.index("Eq. (15)") < text.index("Printed.") < text.index("\\appendix")
    appendix = text[text.index("\\appendix") :]
    shown = [claim for claim in sample_report["claims"] if not claim["id"].endswith(".corrected")]
    assert appendix.count(r"\\[0.3em]") == sum(claim["paper"]["id"] == "bao2024" for claim in shown)
    assert "None of" in site.comments(sample_report, "lampert2026")


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
def test_the_comments_compile(bad: bool, sample_report: Report, tmp_path: Path) -> None:
    report = hostile(sample_report) if bad else sample_report
    if bad:
        refuted = report["claims"][1]
        first = report["claims"][0]
        refuted.update({key: first[key] for key in ("statement", "reading", "where", "printed", "proof", "symbolic")})
    (tmp_path / "e.tex").write_text(site.comments(report, "bao2024"), encoding="utf-8")
    command = [str(PDFLATEX), "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "e.tex"]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, errors="replace", timeout=60, check=False
    )
    assert done.returncode == 0, done.stdout[-1500:]
    assert bad or "Overfull" not in done.stdout
    assert (tmp_path / "e.pdf").stat().st_size > 5_000
