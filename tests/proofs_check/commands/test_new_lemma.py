"""New lemmas: each kind's skeleton runs as it stands, nothing of the author's is lost, bad names leave no trace."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from proofs_check.commands import claims, cli
from proofs_check.commands.new_lemma import KINDS, files
from tests.documents import Together, command

#: Kinds that the language of statements cannot say yet.
INFORMAL = ("construction",)
#: Kinds of which nothing but a statement is written.
STATED = ("inequality", "bound", "existence", "optimum")


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_kind_runs_and_passes_its_own_test(
    here: Path, capsys: pytest.CaptureFixture[str], together: Together
) -> None:
    """The generated tests ask for `verified` at quick effort.

    What cannot be said as data is `undecided`, and the negation of what exists `refuted`.
    """
    verdicts = dict.fromkeys(KINDS, "verified") | dict.fromkeys(INFORMAL, "undecided") | {"existence": "refuted"}
    for kind in KINDS:
        assert cli.main(["new-lemma", f"mypaper.sec2.thing-{kind}", "--kind", kind]) == 0
        told = capsys.readouterr().out
        assert f"wrote mypaper/theorems/sec2_thing_{kind}.py" in told
        assert "FILL IN" in told
    assert set(claims.LEMMA_KINDS) == set(KINDS) - {"identity", "asymptotic", "bound"}
    made = sorted((here / "tests").glob("test_*.py"))
    assert len(made) == len(KINDS)
    for path in made:
        text = path.read_text(encoding="utf-8")
        verdict = verdicts[path.stem.rpartition("_")[2]]
        assert f'found.verdict == "{verdict}"' in text
        assert 'found.report["decoys"]["caught"] == found.report["decoys"]["of"]' in text
        assert verdict != "verified" or 'found.report["decoys"]["of"] > 0' in text
    # in a process of its own that finds the packages imported, as those of the documents do
    (((status, said),),) = together([(here, [command("pytest -q tests")])])
    assert status == 0, said
    assert f"{len(KINDS)} passed" in said


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_to_be_filled_in_is_said_in_both_sides_and_the_test(kind: str) -> None:
    made = files("mypaper.sec2.thing", kind)
    second = "mypaper/montecarlo/sec2_thing.py"
    # what has no tokens is proved or refuted from its statement alone
    assert (second in made) == (kind not in STATED)
    assert ("informal" in made["mypaper/theorems/sec2_thing.py"]) == (kind in INFORMAL)
    for name in (
        "mypaper/theorems/sec2_thing.py",
        *([second] if second in made else []),
        "tests/test_mypaper_sec2_thing.py",
    ):
        assert "FILL IN" in made[name], name
        compile(made[name], name, "exec")
    assert "import torch" not in made["mypaper/theorems/sec2_thing.py"]
    assert "sympy" not in made.get(second, "")


def test_a_second_lemma_keeps_what_the_first_shares_with_it(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["new-lemma", "mypaper.sec2.one"]) == 0
    assert "the entry point in pyproject.toml makes" in capsys.readouterr().out
    (here / "pyproject.toml").write_text("# mine\n", encoding="utf-8")
    (here / "mypaper" / "__init__.py").write_text("# mine too\n", encoding="utf-8")
    before = contents(here)
    assert cli.main(["new-lemma", "mypaper.sec2.two", "--kind", "limit"]) == 0
    after = contents(here)
    # the file that is there names no entry point
    assert 'add mypaper = "mypaper" under [project.entry-points."twofold.papers"]' in capsys.readouterr().out
    assert before.items() <= after.items()
    assert {Path(name).name for name in after.keys() - before.keys()} == {"sec2_two.py", "test_mypaper_sec2_two.py"}


@pytest.mark.parametrize("again", ["mypaper.sec2.one", "mypaper.sec2.One", "mypaper.sec2-one.x"])
def test_a_lemma_is_never_overwritten(again: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["new-lemma", "mypaper.sec2.one"]) == 0
    assert cli.main(["new-lemma", "mypaper.sec2.one-x"]) == 0
    before = contents(here)
    capsys.readouterr()
    assert cli.main(["new-lemma", again, "--kind", "bound"]) == 2
    assert contents(here) == before
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert "exists; choose another name" in told.err


BAD = [
    ["foo"],
    [""],
    ["a.b"],
    ["a..b"],
    ["a.b.c d"],
    ["../a.b.c"],
    ["a.b.c/d"],
    ["a.b./tmp/x"],
    ["1a.b.c"],
    ["my-paper.sec2.thing"],
    ["class.sec2.thing"],
    ["bao2024.sec2.thing"],
    ["a.b." + "x" * 300],
    ["a.b.ü"],
    ["a.b.c\n"],
    ["a.b.c", "--kind", "lemma"],
    ["a.b.c", "--kind", ""],
    ["a.b.c", "d.e.f"],
    [],
]


@pytest.mark.parametrize("arguments", BAD, ids=lambda a: " ".join(a)[:30].encode("unicode_escape").decode() or "none")
def test_a_bad_name_or_kind_is_one_line_and_leaves_nothing(
    arguments: list[str], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["new-lemma", *arguments]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("twofold: error: ")
    assert told.err.count("\n") == 1
    assert not list(here.iterdir())


@pytest.mark.parametrize("paper", ["theorems", "montecarlo", "proofs_check", "figures", "numpy", "torch", "json"])
def test_a_name_that_would_hide_another_package_is_refused(
    paper: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["new-lemma", f"{paper}.sec2.thing"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not list(here.iterdir())


def test_a_name_kept_for_corrections_is_refused(here: Path) -> None:
    assert cli.main(["new-lemma", "mypaper.sec2.corrected"]) == 2
    assert not list(here.iterdir())


@pytest.mark.parametrize("name", ["form", "simulation", "walks", "claim", "derivation", "process", "w"])
def test_a_name_that_the_skeleton_uses_itself_still_runs(name: str) -> None:
    made = files(f"mypaper.sec2.{name}", "identity")["mypaper/montecarlo/sec2_" + name + ".py"]
    assert "def form(" not in made


@pytest.mark.parametrize("kind", ["theorems", "montecarlo"])
def test_modules_of_a_first_lemma_are_not_hidden_by_a_package(
    kind: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The README's walk-through keeps its lemma in mypaper/theorems.py, which a folder of that name would hide."""
    (here / "mypaper").mkdir()
    (here / "mypaper" / f"{kind}.py").write_text("# a lemma\n", encoding="utf-8")
    before = contents(here)
    assert cli.main(["new-lemma", "mypaper.sec2.other"]) == 2
    assert f"{kind}.py" in capsys.readouterr().err
    assert contents(here) == before


def test_a_lemma_hides_no_builtin_that_its_file_calls(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["new-lemma", "mypaper.sec1.float", "--kind", "construction"]) == 0
    assert "def float_(" in (here / "mypaper/montecarlo/sec1_float.py").read_text()
    assert cli.main(["new-lemma", "twofold.sec1.thing"]) == 2


def test_a_folder_does_not_free_the_name_of_a_package(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "numpy").mkdir()
    assert cli.main(["new-lemma", "numpy.sec1.thing"]) == 2
    assert "Python has a package numpy" in capsys.readouterr().err
    assert contents(here) == {}


def test_a_place_that_cannot_be_written_is_one_line_with_nothing_written(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "mypaper").write_text("a file, and no folder\n", encoding="utf-8")
    before = contents(here)
    assert cli.main(["new-lemma", "mypaper.sec2.thing"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert "mypaper" in told.err
    assert contents(here) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_is_read_only(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here.chmod(0o500)
    try:
        assert cli.main(["new-lemma", "mypaper.sec2.thing"]) == 2
        assert not list(here.iterdir())
    finally:
        here.chmod(0o700)
    assert capsys.readouterr().err.count("\n") == 1


def test_a_statement_that_was_checked_is_kept_as_a_lemma(
    here: Path, capsys: pytest.CaptureFixture[str], together: Together
) -> None:
    said = ["check", "E[norm(x[i])**2] = i*d", "--for", "Sigma = I", "--effort", "quick"]
    assert cli.main([*said, "--save", "kept.sec1.length"]) == 0
    assert "wrote kept/theorems/sec1_length.py" in capsys.readouterr().out
    text = (here / "kept" / "theorems" / "sec1_length.py").read_text(encoding="utf-8")
    assert '"E[norm(x[i])**2] = i*d"' in text and 'hypotheses="Sigma = I"' in text and "FILL IN" not in text
    assert not (here / "kept" / "montecarlo" / "sec1_length.py").exists()
    (((status, told),),) = together([(here, [command("pytest -q tests")])])
    assert status == 0, told
    before = contents(here)
    assert cli.main([*said, "--save", "kept.sec1.length"]) == 2
    assert cli.main([*said, "--save", "kept"]) == 2
    assert contents(here) == before


def test_a_statement_that_cannot_be_read_is_not_kept(here: Path) -> None:
    assert cli.main(["check", "E[norm(x[i])**2] = ", "--save", "kept.sec1.length"]) == 2
    assert not list(here.iterdir())


@pytest.mark.parametrize("place", ["pyproject.toml", "tests", "mypaper", "mypaper/theorems", "mypaper/montecarlo"])
@pytest.mark.parametrize("target", ["nowhere", "loop"])
def test_a_link_that_leads_nowhere_leaves_no_trace(place: str, target: str, here: Path) -> None:
    link = here / place
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(link if target == "loop" else here / "nowhere")
    before = sorted(here.rglob("*"))
    assert cli.main(["new-lemma", "mypaper.sec2.thing"]) == 2
    assert sorted(here.rglob("*")) == before


def test_what_was_written_before_a_failure_is_taken_back(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Path.open

    def full(path: Path, *arguments: object, **options: object) -> object:
        if path.name.startswith("test_"):
            raise OSError(28, "No space left on device")
        return opened(path, *arguments, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", full)
    assert cli.main(["new-lemma", "mypaper.sec2.thing"]) == 2
    assert list(here.iterdir()) == []
