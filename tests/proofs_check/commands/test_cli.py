"""The command line: what it refuses, in which words and with which status, and what it does without heavy imports."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import types
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import proofs_check.judging
from proofs_check.commands import cli
from proofs_check.judging import dry_run
from proofs_check.judging.options import Options
from theorems.claims.catalogue import Statement, catalogue

ROOT = Path(__file__).parents[3]


class FakeRunner(types.ModuleType):
    """Stands for `proofs_check.judging.runner`: hands out a given report and keeps what it was asked."""

    def __init__(self, report: dict[str, Any]) -> None:
        super().__init__("proofs_check.judging.runner")
        self.report = report
        self.asked: list[tuple[list[str], Options]] = []

    def run(
        self, claims: Sequence[Statement], options: Options, progress: Any = None, kept: Any = None
    ) -> dict[str, Any]:
        self.asked.append(([claim.id for claim in claims], options))
        progress.begin(len(claims))
        for claim in self.report["claims"]:
            progress.claim(claim["id"])
            progress.step(claim["id"], 1, 2)
            progress.finished(claim)
        return self.report


def plan(claims: Sequence[Statement], options: Options) -> list[dict[str, Any]]:
    return [{"id": claim.id, "case": {"i": 2, "d": 1}, "walks": 4096, "seconds": 0.5} for claim in claims]


@pytest.fixture
def runner(sample_report: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeRunner]:
    fake = FakeRunner(sample_report)
    monkeypatch.setitem(sys.modules, "proofs_check.judging.runner", fake)
    monkeypatch.setattr(proofs_check.judging, "runner", fake, raising=False)
    monkeypatch.setattr(dry_run, "plan", plan)
    yield fake


def keep(report: dict[str, Any], *verdicts: str) -> None:
    """Leave only the claims with these verdicts in the report."""
    report["claims"] = [claim for claim in report["claims"] if claim["verdict"] in verdicts]


BAD: list[tuple[list[str], list[str]]] = [
    ([], ["command", "verify"]),
    (["verfy"], ["command", "'verfy'", "nearest: verify"]),
    (["verify", "bao2024.appA.eq51"], ["'bao2024.appA.eq51'", "nearest: ", "bao2024.appA.eq15"]),
    (["verify", "eq15"], ["'eq15'", "nearest: bao2024.appA.eq15"]),
    (["verify", "nothing*"], ["'nothing*'", "glob"]),
    (["verify", ""], ["''"]),
    (["verify", "a\nb\x1b[31m"], ["'a\\nb\\x1b[31m'"]),
    (["verify", "x" * 5000], ["xxx..."]),
    (["verify", "--sed", "1"], ["'--sed'", "nearest: --seed"]),
    (["verify", "--seed"], ["--seed"]),
    (["verify", "--seed", "-1"], ["--seed", "'-1'", "integer from 0"]),
    (["verify", "--seed", "1.5"], ["--seed", "'1.5'"]),
    (["verify", "--seed", "0x10"], ["--seed", "'0x10'"]),
    (["verify", "--seed", "٣"], ["--seed"]),
    (["verify", "--seed", str(2**63)], ["--seed", str(2**63)]),
    (["verify", "--seed", "9" * 10000], ["--seed"]),
    (["verify", "--effort", "thoroug"], ["--effort", "'thoroug'", "nearest: thorough"]),
    (["verify", "--device", "tpu"], ["--device", "'tpu'", "auto, cpu, cuda"]),
    (["check", "E[norm(x[1])**2] = tr(Sigma)", "--device", "tpu"], ["--device", "'tpu'", "auto, cpu, cuda"]),
    (["verify", "--jobs", "0"], ["--jobs", "'0'", "1 to"]),
    (["verify", "--jobs", "many"], ["--jobs", "'many'"]),
    (["verify", "--json", "missing/report.json"], ["--json", "'missing/report.json'", "does not exist"]),
    (["verify", "--json", "folder"], ["--json", "'folder'", "a directory"]),
    (["verify", "--json", "folder/"], ["--json", "'folder/'"]),
    (["verify", "--json", "file/report.json"], ["--json", "is no directory"]),
    (["verify", "--json", "/dev/null"], ["--json", "'/dev/null'", "no regular file"]),
    (["verify", "--json", ""], ["--json", "''"]),
    (["verify", "--json", "-"], ["--json", "'-'"]),
    (["verify", "--json", "n" * 300], ["--json"]),
    (["verify", "--json", "a\0b"], ["--json"]),
    (["verify", "--junit", "missing/junit.xml"], ["--junit", "'missing/junit.xml'"]),
    (["verify", "--json", "same", "--junit", "./same"], ["--junit", "another file"]),
    (["verify", "--expect", "missing.toml"], ["--expect", "'missing.toml'", "No such file"]),
    (["verify", "--expect", "folder"], ["--expect", "'folder'"]),
    (["verify", "--expect", "file"], ["--expect", "'file'"]),
    (["verify", "--case", "{}"], ["--case", "one selected claim"]),
    (["verify", "bao2024.appA.eq15", "--case", "{"], ["--case", "JSON"]),
    (["list", "nothing"], ["'nothing'"]),
    (["show"], ["ID"]),
    (["show", "bao2024.appA.eq15x"], ["nearest: bao2024.appA.eq15"]),
    (["show", "bao2024.*"], ["the id of one claim"]),
    (["doctor", "now"], ["'now'"]),
]


@pytest.mark.parametrize(("arguments", "told"), BAD, ids=[" ".join(a)[:40].replace("\0", "0") for a, _ in BAD])
def test_bad_input_is_one_line_and_status_2(
    arguments: list[str],
    told: list[str],
    runner: FakeRunner,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("not = [closed")
    assert cli.main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert captured.err.startswith("twofold: error: ")
    assert len(captured.err) < 500
    assert "\x1b" not in captured.err
    for part in told:
        assert part in captured.err
    assert not runner.asked
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


def test_cuda_where_there_is_none(
    runner: FakeRunner, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert cli.main(["verify", "--device", "cuda"]) == 2
    assert "--device 'cuda': expected a CUDA device" in capsys.readouterr().err
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    keep(runner.report, "verified")
    assert cli.main(["verify", "--device", "cuda"]) == 0
    assert runner.asked[0][1].device == "cuda"


def test_one_bad_argument_leaves_everything_unwritten(
    runner: FakeRunner, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "report.json"
    assert cli.main(["verify", "--json", str(target), "--expect", str(tmp_path / "missing")]) == 2
    assert not target.exists()
    assert not runner.asked


@pytest.mark.parametrize(
    ("verdicts", "status"),
    [(("verified", "refuted"), 0), (("undecided",), 0), (("conflict",), 1), (("error",), 1)],
)
def test_status_follows_the_verdicts(
    verdicts: tuple[str, ...], status: int, runner: FakeRunner, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keep(runner.report, *verdicts)
    written = tmp_path / "report.json"
    assert cli.main(["verify", "--json", str(written), "--junit", str(tmp_path / "junit.xml")]) == status
    assert [claim["verdict"] in verdicts for claim in json.loads(written.read_text())["claims"]]
    assert (tmp_path / "junit.xml").exists()


def test_options_reach_the_runner(runner: FakeRunner, capsys: pytest.CaptureFixture[str]) -> None:
    keep(runner.report, "verified")
    arguments = ["verify", "bao2024.appA.eq15", "--effort", "quick", "--seed", "7", "--device", "cpu", "--jobs", "2"]
    case = '{"i": 3, "W": [["-1/2"]], "Sigma": [[1]]}'
    assert cli.main([*arguments, "--case", case]) == 0
    ids, options = runner.asked[0]
    assert ids == ["bao2024.appA.eq15"]
    assert (options.effort, options.seed, options.device, options.jobs) == ("quick", 7, "cpu", 2)
    assert options.case == {"d": 1, "i": 3, "W": [["-1/2"]], "Sigma": [["1"]], "start": "sigma"}
    assert runner.report["run"]["command"] == ["twofold", *arguments, "--case", case]


def test_options_and_ids_mix(runner: FakeRunner, capsys: pytest.CaptureFixture[str]) -> None:
    keep(runner.report, "verified")
    assert cli.main(["verify", "bao2024.appA.eq11", "--seed", "1", "bao2024.sec4.lemma1-*", "bao2024.sec4.eq5"]) == 0
    assert runner.asked[0][0] == [
        "bao2024.sec4.lemma1-mean",
        "bao2024.sec4.lemma1-variance",
        "bao2024.sec4.eq5",
        "bao2024.appA.eq11",
    ]


def test_a_difference_from_expect_is_told_and_fails(
    runner: FakeRunner, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keep(runner.report, "verified", "refuted")
    expected = tmp_path / "expected.toml"
    expected.write_text('[verdicts]\n"bao2024.appA.eq11" = "verified"\n"bao2024.appA.eq15" = "refuted"\n')
    assert cli.main(["verify", "--expect", str(expected)]) == 0
    assert "2 verdicts as expected." in capsys.readouterr().err
    expected.write_text('[verdicts]\n"bao2024.appA.eq11" = "refuted"\n')
    written = tmp_path / "report.json"
    assert cli.main(["verify", "--expect", str(expected), "--json", str(written)]) == 1
    assert "bao2024.appA.eq11: expected refuted, got verified" in capsys.readouterr().err
    assert written.exists()


def test_a_report_is_its_own_expectation(
    runner: FakeRunner, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keep(runner.report, "verified", "refuted")
    written = tmp_path / "report.json"
    assert cli.main(["verify", "--json", str(written)]) == 0
    assert cli.main(["verify", "--json", str(tmp_path / "again.json"), "--expect", str(written)]) == 0
    # what a run is compared with is not written over by the run
    assert cli.main(["verify", "--json", str(written), "--expect", str(written)]) == 2


def test_an_interrupted_run_is_written_and_says_so(
    runner: FakeRunner, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keep(runner.report, "verified")
    runner.report["run"]["partial"] = True
    written = tmp_path / "report.json"
    assert cli.main(["verify", "--json", str(written)]) == 130
    assert json.loads(written.read_text())["run"]["partial"] is True
    assert "interrupted before the rest" in capsys.readouterr().err


def test_an_interrupt_outside_the_run(
    runner: FakeRunner, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: Any) -> dict[str, Any]:
        raise KeyboardInterrupt

    monkeypatch.setattr(runner, "run", interrupted)
    assert cli.main(["verify"]) == 130
    assert capsys.readouterr().err == "twofold: interrupted\n"


def test_an_output_that_fails_late_is_told_and_the_rest_still_written(
    runner: FakeRunner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from proofs_check.report import outputs

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    keep(runner.report, "verified")
    monkeypatch.setattr(outputs, "write_json", full)
    junit = tmp_path / "junit.xml"
    assert cli.main(["verify", "--json", str(tmp_path / "report.json"), "--junit", str(junit)]) == 1
    captured = capsys.readouterr()
    assert "--json" in captured.err
    assert "No space left on device" in captured.err
    assert "1 verified" in captured.err
    assert junit.exists()


def test_a_dry_run_judges_and_writes_nothing(
    runner: FakeRunner, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "report.json"
    assert cli.main(["verify", "bao2024.appA", "--dry-run", "--json", str(target)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1 + 8 + 1
    assert "i = 2, d = 1" in lines[1]
    assert "4096" in lines[1]
    assert lines[-1].startswith("8 cases, 32.8k samples, about 4.00 s")
    assert not runner.asked
    assert not target.exists()


def test_list_is_tab_separated_when_piped(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["list", "bao2024.sec4.lemma1-*", "bao2024.sec4.eq5"]) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert rows[0] == ["bao2024.sec4.lemma1-mean", "asymptotic", "Lemma 1", "verbatim"]
    assert len(rows) == 3


def test_list_fits_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    assert cli.main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(catalogue()) + 1
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("claim", catalogue(), ids=lambda claim: str(claim.id))
def test_show_tells_all_data_of_a_claim(claim: Statement, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["show", claim.id]) == 0
    out = capsys.readouterr().out
    told = [claim.where, claim.statement, claim.reading, *claim.printed.values(), *claim.assumptions, *claim.depends_on]
    for part in [*told, *(line.printed for line in claim.lines)]:
        assert part in out


def test_show_of_a_correction(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["show", "bao2024.appA.eq15.corrected"]) == 0
    out = capsys.readouterr().out
    assert "corrects      bao2024.appA.eq15\n" in out
    assert "(i - 1)*tr1" not in out


def test_help_names_every_command_and_no_other(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--help"]) == 0
    out = capsys.readouterr().out
    assert [line.split()[0] for line in out.splitlines() if line.startswith("  ")] == list(cli.COMMANDS)
    for name in cli.COMMANDS:
        with pytest.raises(SystemExit) as stop:
            cli.main([name, "--help"])
        assert stop.value.code == 0
    assert cli.main(["--version"]) == 0
    assert proofs_check.__version__ in capsys.readouterr().out


def test_doctor_tells_versions_devices_and_threads(capsys: pytest.CaptureFixture[str]) -> None:
    status = cli.main(["doctor"])
    out = capsys.readouterr().out
    for name in ("python", "torch", "sympy", "python-flint", "memory", "threads", "device cpu"):
        assert f"\n{name} " in out
    assert (status == 0) == ("Nothing is missing." in out)


def test_doctor_names_what_is_missing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "flint", None)
    assert cli.main(["doctor"]) == 1
    assert "missing: python-flint: " in capsys.readouterr().out


HEAVY = ("torch", "sympy", "numpy", "scipy", "rich", "flint", "mpmath", "hypothesis", "matplotlib")


@pytest.mark.parametrize("arguments", [["--help"], ["verify", "--help"], ["list"], ["show", "bao2024.appA.eq15"]])
def test_light_commands_import_nothing_heavy(arguments: list[str]) -> None:
    code = f"""
import sys
from proofs_check.commands.cli import main
try:
    main({arguments!r})
except SystemExit:
    pass
print("heavy:", [name for name in {HEAVY!r} if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.endswith("heavy: []\n")


@pytest.mark.parametrize("text", ["E[x[i].T*W*x[i]] = i*tr(W*Sigma)", "norm(W, fro) <= sqrt(d)*norm(W, 2)"])
def test_a_check_imports_what_it_needs_alone(text: str) -> None:
    code = f"""
import os, sys
from proofs_check.commands.cli import main
main(["check", {text!r}, "--effort", "quick"])
print("heavy:", [name for name in ("torch", "scipy.optimize", "hypothesis", "matplotlib") if name in sys.modules])
print("threads:", os.environ.get("OPENBLAS_NUM_THREADS"))
"""
    environment = {key: value for key, value in os.environ.items() if key != "OPENBLAS_NUM_THREADS"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True, env=environment
    )
    assert "verified" in done.stdout and done.stdout.endswith("heavy: []\nthreads: 1\n")


def test_help_is_there_at_once() -> None:
    # what takes time is what is imported
    program = (
        "import sys; from proofs_check.commands.cli import main; main(['--help']); print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=True)
    heavy = {"torch", "sympy", "numpy", "scipy", "hypothesis", "rich", "jinja2", "theorems.kernel.settle", "tomllib"}
    assert "verify" in done.stdout and not heavy & set(done.stderr.split())


def test_a_reader_that_leaves_causes_no_traceback() -> None:
    command = f"{sys.executable} -m proofs_check list | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1


def test_packages_of_the_working_folder_are_not_imported(tmp_path: Path) -> None:
    for name in ("figures", "montecarlo", "theorems", "pathlib", "fnmatch", "re", "urllib", "json", "numpy"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise SystemExit('of another')")
    command = [sys.executable, "-m", "proofs_check", "list", "bao2024.appA"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    assert "bao2024.appA.eq15" in done.stdout


def test_a_report_is_written_again_in_every_form(
    sample_report: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = tmp_path / "r.json"
    given.write_text(json.dumps(sample_report), encoding="utf-8")
    told = {name: str(tmp_path / name) for name in ("html", "markdown", "junit", "latex")}
    options = [word for name, path in told.items() for word in (f"--{name}", path)]
    assert cli.main(["report", str(given), *options, "--comments", "bao2024", "--before", str(given)]) == 0
    assert (tmp_path / "html" / "index.html").is_file()
    for name, word in (("markdown", "bao2024"), ("junit", "bao2024"), ("latex", "Eq. (15)")):
        assert word in (tmp_path / name).read_text(encoding="utf-8")
    capsys.readouterr()
    for arguments, mend in (
        ([], "give --html"),
        (["--latex", told["latex"]], "--comments"),
        (["--latex", told["latex"], "--comments", "other"], "one of bao2024"),
        (["--html", told["html"], "--selftest", str(given)], "twofold selftest --json"),
        (["--html", told["html"], "--figures", str(tmp_path / "none")], "a folder that is there"),
        (["--html", told["html"], "--before", str(tmp_path / "none")], "--before"),
    ):
        assert cli.main(["report", str(given), *arguments]) == 2
        error = capsys.readouterr().err
        assert mend in error and error.count("\n") == 1
    given.write_text(json.dumps({**sample_report, "claims": []}), encoding="utf-8")
    assert cli.main(["report", str(given), "--comments", "bao2024"]) == 2
    assert "expected a report with claims; FILE has none" in capsys.readouterr().err


def test_pages_are_written_with_the_verdicts(runner: FakeRunner, tmp_path: Path) -> None:
    keep(runner.report, "verified", "refuted")
    folder = tmp_path / "site"
    assert cli.main(["verify", "--html", str(folder)]) == 0
    assert (folder / "index.html").is_file() and not (folder / "changes.html").exists()
    runner.report["claims"][0]["seconds"] = 99.0
    assert cli.main(["verify", "--html", str(folder)]) == 0
    assert (folder / "changes.html").is_file()


def test_pages_of_what_was_just_judged(tmp_path: Path) -> None:
    # as judging leaves it: a counterexample without the fields that only limits have
    folder = tmp_path / "site"
    assert cli.main(["verify", "bao2024.appA.eq15", "--effort", "quick", "--html", str(folder)]) == 0
    assert "Counterexample" in (folder / "claims" / "bao2024.appA.eq15.html").read_text(encoding="utf-8")


def test_differences_of_two_reports(
    sample_report: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, two = tmp_path / "a.json", tmp_path / "b.json"
    one.write_text(json.dumps(sample_report), encoding="utf-8")
    two.write_text(json.dumps(sample_report), encoding="utf-8")
    assert cli.main(["diff", str(one), str(two)]) == 0
    other = json.loads(one.read_text())
    other["claims"][0]["verdict"], other["claims"][0]["reason"] = "undecided", "too few samples"
    two.write_text(json.dumps(other), encoding="utf-8")
    capsys.readouterr()
    assert cli.main(["diff", str(one), str(two)]) == 1
    assert other["claims"][0]["id"] in capsys.readouterr().out
    assert cli.main(["diff", str(one), str(tmp_path / "none")]) == 2


def test_a_tier_that_needs_numba_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("proofs_check.commands.verify.find_spec", lambda name: None)
    assert cli.main(["verify", "bao2024.appA.eq11", "--tier", "fused"]) == 2
    assert "--tier 'fused': expected numba to be installed" in capsys.readouterr().err
    assert cli.main(["verify", "bao2024.appA.eq11", "--tier", "quick"]) == 2
    assert "one of auto, literal, fused, joint" in capsys.readouterr().err
