"""The answer in the terminal: first sign of life, what differs, a limit's counterexample, what was seen."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from proofs_check.api import check
from proofs_check.commands import cli
from proofs_check.statements.showing import marked

LIMIT = ("E[norm(x[1] + lam*x[2])**2] = tr(Sigma) + o(lam)", "--as", "lam -> 0")


def test_nothing_heavy_is_imported_before_the_statement_is_shown() -> None:
    code = (
        "import sys, builtins\n"
        "from proofs_check.commands import cli\n"
        "real = builtins.print\n"
        "def told(*parts, **options):\n"
        "    heavy = {'torch', 'sympy', 'numpy', 'hypothesis', 'scipy', 'numba'} & set(sys.modules)\n"
        "    real(sorted(heavy), *parts, **options)\n"
        "    raise SystemExit(0)\n"
        "builtins.print = told\n"
        "cli.main(['check', 'E[norm(x[i])**2] = i*tr(Sigma)'])\n"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.startswith("[] ") and ("xᵢ" in found.stdout or "x[i]" in found.stdout)


def test_a_moment_lemma_is_checked_without_torch_hypothesis_and_scipy() -> None:
    # the divisor of the second is proved to be > 0, by an exact certificate
    given = ("E[norm(x[i])**2] = i*tr(Sigma)",), ("E[norm(x[i])**2]/(a**2 - 2*a + 2) >= 0", "--for", "a real")
    code = (
        "import sys\nfrom proofs_check.commands import cli\n"
        f"for one in {given}:\n    assert cli.main(['check', *one, '--effort', 'quick']) == 0\n"
        "assert 'theorems.statement.proofs.certificate' in sys.modules\n"
        "print('imported:', sorted({'torch', 'hypothesis', 'scipy', 'numba'} & set(sys.modules)))\n"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.count("✓ verified") == 2 and found.stdout.endswith("imported: []\n")


FUNCTIONS = (
    ("E[abs(x[i].T*u)] = sqrt(2*i/pi)*norm(u)", "--for", "u in R^d, Sigma = I"),
    ("P[a < x[1].T*u] = (1 - erf(a/(sqrt(2)*norm(u))))/2", "--for", "u in R^d, u != 0, Sigma = I, a real"),
    ("E[x[i].T*x[T]]/T -> theta*tr(Sigma)", "--as", "T -> oo, i/T -> theta"),
    ("P[0 <= normal(mu, v) <= 1] = erf(1/sqrt(2*v))", "--for", "mu in R, v > 0"),
)


def test_functions_chances_and_limits_are_checked_without_torch() -> None:
    code = (
        f"import sys\nfrom proofs_check.commands import cli\nfor one in {FUNCTIONS}:\n"
        "    assert cli.main(['check', *one, '--effort', 'quick']) == 0\n"
        "print('imported:', sorted({'torch', 'hypothesis', 'numba', 'scipy.optimize'} & set(sys.modules)))\n"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert [found.stdout.count(mark) for mark in "✓✗"] == [3, 1] and found.stdout.endswith("imported: []\n")


@pytest.mark.parametrize(
    ("printed", "true", "marks"),
    [
        ("i*tr(W*Sigma)", "j*tr(W*Sigma)", "^"),
        ("2*i + 3*j", "2*i + 4*j", "      ^"),
        ("i**2", "i**3", "   ^"),
        ("i", "i", ""),
        ("i + 1", "i", " ^"),
    ],
)
def test_what_differs_is_marked_under_the_true_formula(printed: str, true: str, marks: str) -> None:
    assert marked(printed, true) == marks


def test_a_refuted_statement_shows_print_truth_marks_and_counterexample(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", "E[norm(x[i])**2] = 2*i*tr(Sigma)", "--effort", "quick"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "𝔼[‖xᵢ‖²] = 2 i tr(Σ)" and lines[1].startswith("For every")
    assert lines[2].startswith("✗ refuted") and lines[2].endswith("s)")
    true, marks = next((a, b) for a, b in pairwise(lines) if a.startswith("  true"))
    assert "i*tr(Sigma)   (verified)" in true and set(marks.strip()) == {"^"}
    assert any(line.startswith("  counterexample") and "printed 2, true 1" in line for line in lines)
    assert any("is caught with probability" in line for line in lines)


def test_a_limit_is_refuted_with_what_its_values_are_limits_of(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", *LIMIT, "--effort", "quick"]) == 0
    told = capsys.readouterr().out
    assert "✗ refuted" in told
    assert "lam -> 0, of (left - right)/scale: printed 0, true 2; exactly" in told


def test_a_verified_limit_says_what_the_simulation_does_not_see(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", "E[norm(x[T])**2]/T -> tr(Sigma)", "--as", "T -> oo", "--effort", "quick"]) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("✓"))
    assert "an error of 15% of the limit is seen, smaller ones are excluded by the derivation alone" in line


def test_a_notebook_shows_mathematics() -> None:
    found = check("E[norm(x[i])**2] = 2*i*tr(Sigma)", effort="quick")
    latex = found._repr_latex_()
    assert latex is not None and latex.startswith(r"$\displaystyle \mathbb E\left[\left\lVert x_{i} \right\rVert^{2}")
    assert latex.endswith(r"= 2 \, i \, \operatorname{tr}\left(\Sigma\right)$")
    page = found._repr_html_()
    assert "<th>correction</th><td><math" in page and "<th>statement</th><td><math" in page


KINDS = {
    "moment": ("E[x[s].T*W*x[t]] = a**(t - s)*tr(W*Sigma)", "--law=ar1(a)", "--for=s <= t, 0 < a < 1"),
    "limit": ("E[f[i]] -> 2*theta*tr(Sigma)", "--where=f[i] = x[i].T*x[T]/T", "--as=T -> oo, i/T -> theta"),
    "inequality": ("max(softmax(s)) <= 1/2", "--for=s in R^n, abs(s[j]) <= B"),
}
VERDICTS = {"moment": "verified", "limit": "refuted", "inequality": "refuted"}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_saved_is_judged_alike_in_its_folder(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["check", *KINDS[kind], "--effort", "quick", "--save", f"mine.sec1.{kind}"]) == 0
    capsys.readouterr()
    root = Path(__file__).parents[3]
    command = [sys.executable, "-m", "proofs_check", "verify", "mine", "--effort", "quick", "--fresh"]
    told = subprocess.run(
        command, cwd=tmp_path, env={"PYTHONPATH": str(root), "PATH": ""}, capture_output=True, text=True, check=True
    ).stdout
    assert f"{VERDICTS[kind]}\tmine.sec1.{kind}\t" in told


@pytest.mark.parametrize(("left", "known"), [("E[norm(W*x[i] + x[j])**2]", "i < j"), ("Var[x[i].T*W*x[j]]", "i <= j")])
def test_what_is_derived_is_told_in_the_language_of_statements(left: str, known: str) -> None:
    """It stood there by names for sympy: trace_W_Sigma_Wt."""
    found = check(f"{left} <= tr(Sigma)", known, effort="quick")
    derived = dict(found.rows())["derived"]
    assert "tr(W*Sigma*W.T" in derived and "tr(W" not in str(found.exact)
    assert check(f"{left} = {derived}", known, effort="quick").verdict == "verified"
