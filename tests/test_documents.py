"""The documents tell the truth: what they run prints what they show, what they name exists, what is written is current.

Numbers that are measured (seconds, powers, estimates) are not compared; verdicts, formulas and exact values are.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from proofs_check import __version__
from proofs_check.claims.report import Report
from proofs_check.report import documents as found
from tests.documents import GENERATED, ROOT, WRITTEN, Task, Together, command, fences, missing, prose, read, tasks

Printed = dict[str, list[tuple[Task, int, str]]]

RUN = [name for name in WRITTEN if tasks(read(name))]
README, WORKFLOW = read("README.md"), read(".github/workflows/verify.yml")
#: The verdicts that later runs are held to.
LOCK = ROOT / "verdicts.toml"

#: What is not as it should be, and has to be told.
BROKEN = [
    command("twofold verify no-such-claim > rows.tsv"),
    {"program": "raise SystemExit('stop')", "goes_on": False},
    {"program": "n = 1", "goes_on": False},
    {"program": "print(n + 1)", "goes_on": True},
    {"program": "print(n)", "goes_on": False},
]


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory, together: Together) -> Printed:
    """What everything in the documents printed, each document in a folder of its own."""
    asked = {name: tasks(read(name)) for name in RUN} | {"": [Task(do) for do in BROKEN]}
    done = together([(tmp_path_factory.mktemp("document"), [task.do for task in todo]) for todo in asked.values()])
    return {
        name: [(task, status, text) for task, (status, text) in zip(todo, told, strict=True)]
        for (name, todo), told in zip(asked.items(), done, strict=True)
    }


@pytest.mark.parametrize("name", RUN)
def test_what_is_executed_prints_what_is_shown(name: str, printed: Printed) -> None:
    for task, status, text in printed[name]:
        assert status == 0, text
        if task.shown is None:
            continue
        if "program" in task.do:
            assert text.splitlines() == task.shown.splitlines()
        else:
            assert missing(task.shown, text) == [], text


def test_the_documents_are_these() -> None:
    pages = {path.relative_to(ROOT).as_posix() for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"))}
    assert pages == {*WRITTEN, *GENERATED}
    assert set(WRITTEN) - {"CONTRIBUTING.md", "CHANGELOG.md"} == set(RUN)


@pytest.mark.parametrize("name", WRITTEN)
def test_every_block_is_executed_or_walked_through_or_a_file_or_an_output(name: str) -> None:
    found_here = fences(read(name))
    assert read(name).count("\n```") == 2 * len(found_here), "a fence that is not understood"
    for fence, before in zip(found_here, [None, *found_here], strict=False):
        if fence.language == "text":
            assert before is not None
            assert before.mark in ("executed", "continued")
        else:
            # what is walked is run by test_walkthrough.py
            assert fence.mark in ("executed", "continued", "walked") or fence.mark.startswith("file "), fence.text


# ---- what is named exists


@pytest.mark.parametrize("name", (*WRITTEN, *GENERATED))
def test_links_lead_somewhere(name: str) -> None:
    for target in re.findall(r"\]\(([^)]+)\)", prose(read(name))):
        assert not re.match(r"\w+:", target), f"{target}: the documents need no network"
        path, _, anchor = target.partition("#")
        assert ((ROOT / name).parent / path).exists(), target
        assert not anchor, target


def test_the_readme_leads_to_every_document() -> None:
    linked = set(re.findall(r"\]\(([^)]+)\)", README))
    assert {*WRITTEN, *GENERATED} - {"README.md"} <= linked


def _named(text: str) -> Iterator[tuple[str, list[str]]]:
    """The commands that a document names, each with its options."""
    for line in re.findall(r"(?:`|^ {4}|\$ |run )twofold ([^`\n]+)", text, flags=re.MULTILINE):
        name, *words = line.split("  #")[0].split()
        if name not in ("on", "is", "says"):
            yield name, [word.partition("=")[0].strip(",.)") for word in words if word.startswith("--")]


@pytest.mark.parametrize("name", WRITTEN)
def test_commands_and_their_options_exist(name: str) -> None:
    import argparse

    from proofs_check.commands.cli import COMMANDS

    for named, options in _named(read(name)):
        assert named in COMMANDS, named
        parser = argparse.ArgumentParser(prog=named)
        COMMANDS[named].fill(parser)
        known = {option for action in parser._actions for option in action.option_strings}
        assert set(options) <= known, (named, options)


def test_options_that_stand_alone_exist() -> None:
    import argparse

    from proofs_check.commands.cli import COMMANDS

    known: set[str] = set()
    for name in COMMANDS:
        parser = argparse.ArgumentParser(prog=name)
        COMMANDS[name].fill(parser)
        known |= {option for action in parser._actions for option in action.option_strings}
    for name in WRITTEN:
        alone = set(re.findall(r"`(--[a-z-]+)", read(name)))
        assert alone <= known, f"{name}: {alone - known}"


def test_the_readme_names_every_command() -> None:
    from proofs_check.commands.cli import COMMANDS

    missed = {name for name in COMMANDS if f"twofold {name}" not in README}
    assert not missed


def test_the_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for text in (*map(read, WRITTEN), WORKFLOW):
        targets = re.findall(r"(?:`|^ {4}|run: )make ([a-z-]+)", text, flags=re.MULTILINE)
        assert all(re.search(rf"^{target}:", makefile, flags=re.MULTILINE) for target in targets), targets
    assert {"verify", "test"} == set(re.findall(r"run: make ([a-z-]+)", WORKFLOW))


def test_the_verdicts_are_those_of_the_schema() -> None:
    from proofs_check.inputs.expect import VERDICTS

    rows = re.findall(r"^\| `(\w+)` \| ", README, flags=re.MULTILINE)
    assert sorted(set(rows) & set(VERDICTS)) == sorted(VERDICTS)


def test_the_folders_and_files_exist() -> None:
    assert all((ROOT / folder).is_dir() for folder in re.findall(r"^\| `(\w+)/` \| ", README, flags=re.MULTILINE))
    for name in WRITTEN:
        for path in re.findall(r"`((?:theorems|montecarlo|proofs_check|figures|tests|docs)/[\w./]+)`", read(name)):
            assert (ROOT / path).exists() or "/PAPER" in path, f"{name}: {path}"
        for module in re.findall(r"`((?:theorems|montecarlo|proofs_check)\.[\w.]+)`", read(name)):
            path = ROOT.joinpath(*module.split("."))
            assert path.with_suffix(".py").exists() or path.is_dir(), f"{name}: {module}"


def test_the_figures_are_all_there() -> None:
    from figures import FIGURES

    named = re.findall(
        r"`(\w+)`",
        "".join(re.findall(r"^\| (`.+?`) \| ", read("docs/figures.md").split("| figure |")[1], re.MULTILINE)),
    )
    assert set(FIGURES) <= set(named)


def test_the_claims_are_counted() -> None:
    from theorems.claims.catalogue import PAPERS, paper_claims

    for paper in PAPERS:
        told = re.search(rf"(\d+)\s+claims\s+of\s+{paper}", README)
        assert told is not None
        assert int(told[1]) == len(paper_claims(paper))


def test_the_kernels_are_those_of_the_engine() -> None:
    from theorems.gaussian.process import KERNELS

    rows = re.findall(r"^\| `(\w+)` \| (.+) \| (.+) \| (.+) \|$", read("docs/engine.md"), re.MULTILINE)
    told = {name: (below, at, mean) for name, below, at, mean in rows}
    assert told == {
        name: (str(kernel.below), str(kernel.diagonal), str(kernel.mean or 0)) for name, kernel in KERNELS.items()
    }


def test_the_kinds_are_those_of_the_skeletons() -> None:
    from proofs_check.commands.claims import LEMMA_KINDS
    from proofs_check.commands.new_lemma import KINDS

    table = read("docs/tutorial.md").split("| kind |")[1].split("\n\n")[0]
    told = re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (`[^|]+) \|", table, re.MULTILINE)))
    assert sorted(told) == sorted(KINDS) == sorted(LEMMA_KINDS)


def test_the_supported_versions_are_the_pinned_ones() -> None:
    pinned = set(re.findall(r'"torch==(.*)"', read("pyproject.toml")))
    assert set(re.findall(r"\btorch (?:is )?(\d[\d.]*\d)", README)) == pinned


# ---- numbers are computed

#: A number that somebody measured or worked out: decimals, per cents, powers of ten, three digits and more.
TYPED = re.compile(r"\d+\.\d+|\d+ ?%|\d+e-?\d+|10\^-?\d+|\b\d{3,}\b")


def typed(text: str) -> list[str]:
    """Numbers in the prose that no block computed; names of papers, versions and kernels are none."""
    plain = re.sub(r"`[^`\n]*`|\b(?:bao|lampert)20\d\d\b|Proposition \d\.\d", "", prose(text))
    return TYPED.findall(plain)


def test_no_number_of_the_statistics_is_typed() -> None:
    assert typed(read("docs/statistics.md")) == []
    assert typed(read("docs/tutorial.md")) == []
    assert typed(read("docs/engine.md")) == []


@pytest.mark.parametrize("text", ["caught with 0.999", "a share of 4e-9", "at 99% sure", "below 10^-6", "in 4096 runs"])
def test_a_typed_number_is_seen(text: str) -> None:
    assert typed(f"It is {text}.\n")
    assert not typed(f"It is `{text}`, in bao2024.\n\n```text\n{text}\n```\n")


# ---- pages that the code writes


def test_the_trusted_rules_are_those_of_the_code() -> None:
    assert read("docs/rules.md") == found.trusted(), "run `python -m proofs_check.report.documents`"


@pytest.mark.parametrize(
    ("docstring", "line"),
    [
        ("With ``a`` = 2, x < y.\n    ``b`` is 3.", "With `a` = 2, x &lt; y. `b` is 3."),
        ("``a``, (``b``)", "`a`, (`b`)"),
        ("= 2. Trusted: all.", "\\= 2. *Trusted*: all."),
    ],
)
def test_code_in_a_docstring_keeps_the_space_around_it(docstring: str, line: str) -> None:
    assert found._told(docstring) == line


def rows(text: str) -> list[tuple[str, str]]:
    """Id and verdict of every claim in the last table of the findings."""
    return re.findall(r"^\| `([\w.-]+)` \| (\w+) \| ", text.split("## Every verdict")[-1], re.MULTILINE)


def wrong_rows(page: str, expected: dict[str, str]) -> list[str]:
    """What the findings do not say as expected: claims left out, told twice, unknown, or with another verdict."""
    told = rows(page)
    names = [name for name, _ in told]
    lines = [
        f"{name}: told {names.count(name)} times" for name in sorted({*names, *expected}) if names.count(name) != 1
    ]
    lines += [f"{name}: unknown" for name in names if name not in expected]
    return lines + [f"{name}: {verdict}" for name, verdict in told if expected.get(name, verdict) != verdict]


def test_the_findings_tell_every_claim() -> None:
    from proofs_check.inputs.expect import CORRECTED, VERDICTS
    from theorems.claims.catalogue import shipped

    told = rows(read("docs/findings.md"))
    assert [name for name, _ in told if not name.endswith(CORRECTED)] == [claim.id for claim in shipped()]
    assert {verdict for _, verdict in told} <= set(VERDICTS)
    verdicts = dict(told)
    assert len(verdicts) == len(told)
    assert all(verdicts[name.removesuffix(CORRECTED)] == "refuted" for name in verdicts if name.endswith(CORRECTED))


def test_each_claim_that_is_not_verified_has_its_part_in_the_findings() -> None:
    from proofs_check.inputs.expect import CORRECTED

    page = read("docs/findings.md")
    parts = re.findall(r"^### .*: (\w+)\n\n`([\w.-]+)`$", page, re.MULTILINE)
    parts += [("refuted", name) for name in re.findall(r"^- .*, from .* \(`([\w.-]+)`\)$", page, re.MULTILINE)]
    wanted = {(v, name) for name, v in rows(page) if v != "verified" and not name.endswith(CORRECTED)}
    assert set(parts) == wanted
    assert len(parts) == len(wanted)


@pytest.mark.skipif(not LOCK.exists(), reason="there is no verdicts.toml yet to hold docs/findings.md to")
def test_the_findings_say_what_the_lock_says() -> None:
    locked = tomllib.loads(LOCK.read_text(encoding="utf-8"))["verdicts"]
    assert wrong_rows(read("docs/findings.md"), locked) == [], (
        "run `python -m proofs_check.report.documents report/report.json`"
    )


def test_an_inherited_error_takes_one_line_in_the_findings(sample_report: Any) -> None:
    first = next(claim for claim in sample_report["claims"] if claim["verdict"] == "refuted")
    heir = {**first, "id": "bao2024.x.heir", "where": "Lemma 9", "depends_on": [first["id"]]}
    claims = [*sample_report["claims"], heir]
    page = found.found(cast(Report, {**sample_report, "claims": claims}))
    cause = page[page.index("### Eq. (15): refuted") :].partition("\n\n### ")[0]
    assert re.findall(r"^- ([a-z ]+): ", cause, re.M)[:2] == ["printed", "reading"]
    assert cause.count("- correct: ") == cause.count("- check: ") == 1 and "Inherited by Lemma 9." in cause
    (line,) = (line for line in page.splitlines() if line.startswith("- Lemma 9"))
    assert line.endswith(", from Eq. (15) (`bao2024.x.heir`)")
    opening = page[: page.index(" were judged: ")]
    assert ": Lemma 9 is false; it should read " in opening and ". The error is in Eq. (15): " in opening
    alone = found.found(sample_report)
    assert ": Eq. (15) is false; it should read " in alone[: alone.index(" were judged: ")] and "Lemma 9" not in alone


def test_the_opening_says_what_its_symbols_are(sample_report: Any) -> None:
    first = next(claim for claim in sample_report["claims"] if claim["verdict"] == "refuted")
    first["said"] = {
        "quantities": dict.fromkeys(first["printed"], "E[q[i]]"),
        "where": "q[i] = x[i].T*W*x[i], u = 1/2",
        "along": {"i": "theta*T"},
        **dict.fromkeys(("hypotheses", "law", "limit", "remainder"), ""),
        **{name: {} for name in ("letters", "paper")},
    }
    page = found.found(sample_report)
    told = page[: page.index(" were judged: ")].partition("; here ")[2].partition(".\n")[0]
    # what no formula of the claim uses is not told
    assert told.startswith("$q_{i} = x_{i}^{\\top} W x_{i}$, $i = \\theta T$") and "u" not in told, told


def test_findings_that_say_something_else_are_caught(sample_report: Any) -> None:
    page = found.found(sample_report)
    expected = dict(rows(page))
    assert wrong_rows(page, expected) == []
    assert wrong_rows(page, {**expected, "bao2024.appA.eq11": "refuted"}) == ["bao2024.appA.eq11: verified"]
    assert wrong_rows(page, {**expected, "bao2024.appA.eq99": "verified"}) == ["bao2024.appA.eq99: told 0 times"]
    one = next(line for line in page.splitlines() if line.startswith("| `bao2024.appA.eq16` |"))
    assert wrong_rows(page.replace(one + "\n", ""), expected) == ["bao2024.appA.eq16: told 0 times"]
    assert wrong_rows(page + one + "\n", expected) == ["bao2024.appA.eq16: told 2 times"]


# ---- metadata


def test_the_citation_is_of_this_version() -> None:
    project = tomllib.loads(read("pyproject.toml"))["project"]
    citation = dict(re.findall(r"^([\w-]+): (.+)$", read("CITATION.cff"), re.MULTILINE))
    assert citation["cff-version"] == "1.2.0"
    assert citation["version"] == __version__
    assert citation["license"] == project["license"]
    assert re.findall(r"^  - name: (.+)$", read("CITATION.cff"), re.MULTILINE) == [
        author["name"] for author in project["authors"]
    ]


def test_the_changelog_has_the_parts_that_its_format_wants() -> None:
    heads = re.findall(r"^## (.+)$", read("CHANGELOG.md"), re.MULTILINE)
    assert heads[0] == "[Unreleased]"
    assert all(re.fullmatch(r"\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d", head) for head in heads[1:])
    kinds = set(re.findall(r"^### (.+)$", read("CHANGELOG.md"), re.MULTILINE))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_the_workflow_pins_its_actions_and_keeps_the_report() -> None:
    used = re.findall(r"uses: (\S+)", WORKFLOW)
    assert used
    assert all(re.fullmatch(r"actions/[\w-]+@v\d+", name) for name in used)
    assert "actions/upload-artifact" in " ".join(used)
    assert re.search(r"path: report/\n", WORKFLOW)
    assert re.search(r"on:\n  push:\n  pull_request:\n", WORKFLOW)


# ---- how the outputs are compared

OUTPUT = "refuted   a   1.5% / 3.69M   0.5 s  disproved\nmiddle\n  truth   i*tr1\n  gives 0, the truth is 1\n"


@pytest.mark.parametrize(
    "shown",
    [
        "refuted a 2% / 9k 12 s disproved\n...\n truth i*tr1\n",
        "...\n  truth  i*tr1\n gives 0, the truth is 1",
        "refuted a 1.5% / 3.69M 0.5 s disproved\nmiddle",
    ],
)
def test_measured_numbers_are_not_compared(shown: str) -> None:
    assert missing(shown, OUTPUT) == []


@pytest.mark.parametrize(
    "shown",
    [
        "verified a 1.5% / 3.69M 0.5 s disproved",
        "refuted a 1.5% / 3.69M 0.5 s proved",
        "...\n truth i*tr2",
        "...\n truth 2*i*tr1",
        "...\n gives 0, the truth is 2",
        "refuted a 1.5% / 3.69M 0.5 s disproved\n truth i*tr1",
        "...\n gives 0, the truth is 1\n...\n truth i*tr1",
    ],
)
def test_another_verdict_formula_value_or_order_is_caught(shown: str) -> None:
    assert missing(shown, OUTPUT)


def test_a_command_that_fails_and_a_program_that_breaks_are_told(printed: Printed) -> None:
    usage, stopped, begun, goes_on, unknown = ((status, text) for _, status, text in printed[""])
    assert usage[0] == 2
    assert "no-such-claim" in usage[1]
    assert stopped[0] != 0
    assert begun == (0, "")
    assert goes_on == (0, "2\n")
    assert unknown[0] != 0
    assert "NameError" in unknown[1]


def test_a_report_that_came_to_no_end_is_not_written_up(
    sample_report: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    run_of = sample_report["run"]
    assert isinstance(run_of, dict)
    partial = {**sample_report, "run": {**run_of, "partial": True}}
    (tmp_path / "whole.json").write_text(json.dumps(sample_report), encoding="utf-8")
    (tmp_path / "part.json").write_text(json.dumps(partial), encoding="utf-8")
    assert found.main(["whole.json"]) == 2
    (tmp_path / "docs").mkdir()
    for name in ("part.json", "none.json"):
        assert found.main([name]) == 2
        assert capsys.readouterr().err.startswith("twofold: error: ")
        assert not list((tmp_path / "docs").iterdir())
    assert found.main(["whole.json"]) == 0
    assert (tmp_path / "docs" / "findings.md").read_text(encoding="utf-8") == found.found(sample_report)
