"""Packages that offer claims: found through entry points or by folder, and refused in a line where they cannot be."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from montecarlo import registry
from proofs_check.commands import cli
from proofs_check.inputs import plugins
from proofs_check.inputs.errors import shown_error
from theorems.authoring import claim as stated
from theorems.claims import catalogue
from theorems.claims.catalogue import CatalogueError
from theorems.kernel import derivation

ROOT = Path(__file__).parents[3]

GOOD = """
from theorems.authoring import W, claim, derivation

claim("{paper}.sec1.mean", "E[x[i].T*W*x[j]] = i*tr(W*Sigma)", hypotheses="W symmetric, i <= j")


@derivation("{paper}.sec1.mean")
def mean(walk, i, j):
    return walk.expect(walk.form(i, W, j))
"""
SAMPLED = """
from montecarlo.registry import simulation
from montecarlo.walks import form


@simulation("{paper}.sec1.mean", degree=2)
def mean(walk, W, i, j):
    return form(walk.token(i), W, walk.token(j))
"""

Offer = Callable[..., None]


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on the path to install into; what is imported and registered from it is forgotten afterwards."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setattr(plugins, "_folders", {})
    monkeypatch.setattr(plugins, "_loaded", set())
    monkeypatch.setattr(plugins, "_broken", {})
    monkeypatch.setattr(catalogue, "_added", dict(catalogue._added))
    plugins.installed.cache_clear()
    yield folder
    plugins.installed.cache_clear()
    own = ("one", "two", "mine")
    for claim, function in list(derivation.registry.items()):
        if function.__module__.split(".")[0] in own:
            del derivation.registry[claim]
    for claim, entry in list(registry._REGISTERED.items()):
        if entry.function.__module__.split(".")[0] in own:
            del registry._REGISTERED[claim]
    for name in list(sys.modules):
        if name.split(".")[0] in own:
            del sys.modules[name]


@pytest.fixture
def offer(site: Path) -> Offer:
    """Installs a package: ``offer("one", "mypaper", theorems=..., montecarlo=...)``."""

    def install(package: str, paper: str, **modules: str) -> None:
        info = site / f"{package}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[{plugins.GROUP}]\n{paper} = {package}\n")
        (site / package).mkdir()
        (site / package / "__init__.py").touch()
        for name, text in modules.items():
            (site / package / f"{name}.py").write_text(text.replace("{paper}", paper))

    return install


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What the command says as it refuses, in a line and with status 2."""
    capsys.readouterr()
    assert cli.main([*(arguments or ("list",))]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert len(told.err) < 400
    return told.err


def test_installed_claims_are_listed_judged_drawn_and_reported(
    offer: Offer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    offer("one", "mypaper", theorems=GOOD, montecarlo=SAMPLED)
    assert cli.main(["list"]) == 0
    ids = [line.split("\t")[0] for line in capsys.readouterr().out.splitlines()]
    assert ids == [*(claim.id for claim in catalogue.shipped()), "mypaper.sec1.mean"]
    target = tmp_path / "report.json"
    assert cli.main(["verify", "mypaper", "bao2024.appA.eq11", "--effort", "quick", "--json", str(target)]) == 0
    told = capsys.readouterr().out
    assert "mypaper.sec1.mean" in told
    report = json.loads(target.read_text())
    assert {claim["id"]: claim["verdict"] for claim in report["claims"]} == {
        "bao2024.appA.eq11": "verified",
        "mypaper.sec1.mean": "verified",
    }
    (spent,) = [row for row in report["run"]["ledger"] if row["id"] == "mypaper.sec1.mean"]
    assert 0 < spent["spent"] <= spent["alpha"] < 1e-9
    assert cli.main(["figures", "mypaper.sec1.mean", "--out", str(tmp_path / "plots")]) == 0
    assert sorted(path.name for path in (tmp_path / "plots").iterdir()) == [
        f"mypaper.sec1.mean{suffix}" for suffix in (".csv", ".json", ".png", ".svg")
    ]


def test_a_folder_of_the_current_one_is_opened_by_its_name(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "theorems.py").write_text(GOOD.replace("{paper}", "mine"))
    monkeypatch.chdir(tmp_path)
    assert cli.main(["list"]) == 0
    assert "mine." not in capsys.readouterr().out
    assert cli.main(["list", "mine"]) == 0
    assert capsys.readouterr().out.startswith("mine.sec1.mean\t")
    assert "'nobody'" in refusal(capsys, "list", "nobody")


def test_two_packages_that_offer_one_paper(offer: Offer, capsys: pytest.CaptureFixture[str]) -> None:
    offer("one", "mypaper", theorems=GOOD)
    offer("two", "mypaper", theorems=GOOD)
    told = refusal(capsys)
    assert "'mypaper'" in told
    assert "one" in told
    assert "two" in told
    assert "uninstall" in told


def test_a_package_that_offers_a_shipped_paper(offer: Offer, capsys: pytest.CaptureFixture[str]) -> None:
    offer("one", "bao2024", theorems=GOOD)
    told = refusal(capsys)
    assert "'one' offers 'bao2024'" in told


#: The same claim in words, which needs both of its sides and is at best undecided.
WORDS = GOOD.replace(
    '"E[x[i].T*W*x[j]] = i*tr(W*Sigma)", hypotheses="W symmetric, i <= j"',
    'printed="i*tr1", symbols="i tr1", positions="i j"',
)


RESTS = 'depends_on=("{paper}.sec1.mean", "bao2024.appA.eq11")'
SECOND = f'claim("{{paper}}.sec9.second", "E[norm(x[i])**2] = i*tr(Sigma)", {RESTS})\n'


def judged_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, object]]:
    """The reports of everything in mypaper, by id."""
    out = tmp_path / "report.json"
    assert cli.main(["verify", "mypaper", "--effort", "quick", "--fresh", "--json", str(out)]) == 1
    capsys.readouterr()
    return {report["id"]: report for report in json.loads(out.read_text())["claims"]}


UNREAD: dict[str, tuple[str, str, list[str]]] = {
    "statement": (
        '"{paper}.sec1.bad", "E[x[i].T*V*x[j]] = i*tr(W*Sigma)"',
        "mypaper.sec1.bad",
        ["'E[x[i].T*V*x[j]] = i*tr(W*Sigma)', at column"],
    ),
    "printed": ('"{paper}.sec1.bad", printed="i*", symbols="i"', "mypaper.sec1.bad", ["printed value", "'i*'"]),
    "symbol": ('"{paper}.sec1.bad", printed="i*tr1", symbols="i"', "mypaper.sec1.bad", ["uses tr1", "declare it"]),
    "keyword": ('"{paper}.sec1.bad", "u >= 0", hypothesis="u > 0"', "mypaper.sec1.bad", ["'hypothesis'"]),
    "quantities": (
        '"{paper}.sec1.bad", printed={"a": "i"}, quantity={"b": "E[norm(x[i])**2]"}, symbols="i"',
        "mypaper.sec1.bad",
        ["quantity lacks a"],
    ),
    "id": ('"x", printed="1"', "mypaper.unread.x", ["'x' is no id; write paper.section.name"]),
    "twice": (
        '"{paper}.sec1.mean", "E[norm(x[i])**2] = i*d"',
        "mypaper.unread.mypaper-sec1-mean",
        ["mypaper.sec1.mean: a claim of that id is there already", "another id"],
    ),
    "foreign": (
        '"other.sec1.mean", "E[norm(x[i])**2] = i*tr(Sigma)"',
        "mypaper.unread.other-sec1-mean",
        ["other.sec1.mean", "'mypaper'", "begin the id with that"],
    ),
    "foreign unread": ('"other.sec1.mean", "E["', "mypaper.unread.other-sec1-mean", ["column"]),
    "rests on nothing": (
        '"{paper}.sec1.bad", "E[norm(x[i])**2] = i*tr(Sigma)", depends_on=("mypaper.sec9.secnd",)',
        "mypaper.sec1.bad",
        ["depends_on has 'mypaper.sec9.secnd', which is no claim; did you mean mypaper.sec9.second?"],
    ),
    "shipped": (
        '"bao2024.appA.eq15", "E[norm(x[i])**2] = i*tr(Sigma)"',
        "mypaper.unread.bao2024-appA-eq15",
        ["bao2024.appA.eq15: a claim of that id ships with Twofold"],
    ),
}


@pytest.mark.parametrize("given", UNREAD)
def test_a_lemma_that_cannot_be_read_spoils_no_other_of_its_module(
    given: str, offer: Offer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, name, parts = UNREAD[given]
    offer("one", "mypaper", theorems=GOOD + f"claim({text})\n" + SECOND)
    found = judged_apart(tmp_path, capsys)
    # as it came first, and with the lemmas behind
    assert found["mypaper.sec1.mean"]["verdict"] == "verified"
    assert found["mypaper.sec9.second"]["verdict"] == "verified"
    assert found[name]["verdict"] == "error"
    assert str(found[name]["reason"]).startswith(f"{name}: ")
    for part in parts:
        assert part in str(found[name]["reason"])
    assert cli.main(["list", "mypaper"]) == 0
    assert name in capsys.readouterr().out
    # the one that can be read is judged alone without a word of the other
    assert cli.main(["verify", "mypaper.sec1.mean", "--effort", "quick"]) == 0


ENTRIES = """
[paper]
id = "mypaper"
title = "On spreads"
authors = "A. N. Author"
version = "1"
"""
ENTRY = """
[[claim]]
id = "{id}"
where = "Lemma 1"
kind = "identity"
statement = ""
reading = ""
quantity = ""
symbols = []
model = "walk"
printed = {{ value = "{printed}" }}
[claim.says]
quantities = {{ value = "E[norm(x[i])**2]" }}
{more}
"""


def bad(more: str, printed: str = "i*tr(Sigma)") -> str:
    """An entry with something behind what it says."""
    return ENTRY.format(id="mypaper.sec1.bad", printed=printed, more=more)


@pytest.mark.parametrize(
    ("entry", "name", "part"),
    [
        (ENTRY.format(id="mypaper.sec1.bad", printed="i*tr(", more=""), "mypaper.sec1.bad", "at column"),
        (ENTRY.format(id="mypaper.sec1.bad", printed="i", more='while = ""'), "mypaper.sec1.bad", "says.while"),
        ("[[claim]]\nwhere = ''\n", "mypaper.unread.-", "'?' is no id"),
        ("[[claim]]\nid = 'mypaper.sec1.bad'\n", "mypaper.sec1.bad", "missing"),
        (
            ENTRY.format(id="mypaper.sec1.bad.corrected", printed="i*tr(Sigma)", more=""),
            "mypaper.unread.mypaper-sec1-bad-corrected",
            "those of corrections",
        ),
        (bad('[claim.narrower]\nfor = "i =< j and so on"'), "mypaper.sec1.bad", "'i =< j and so on'"),
        (bad('[claim.narrower]\nfor = "W = 0"'), "mypaper.sec1.bad", "the hypothesis 'W = 0' is unknown"),
        (
            bad('[[claim.lines]]\nlabel = "(2)"\nwhere = ""\nsays = "E[x[i] = 1"'),
            "mypaper.sec1.bad",
            "proof line (2): ",
        ),
        (
            bad('[[claim.lines]]\nlabel = "(2)"\nwhere = ""\nquantity = "other"\nprinted = "1"'),
            "mypaper.sec1.bad",
            "proof line (2): other is no quantity",
        ),
        (
            bad('[claim.definitions]\nc = "2*b"\nb = "c"', "c"),
            "mypaper.sec1.bad",
            "definitions of c name one another",
        ),
        (bad("").replace("model", 'corrects = "bao2024.appA.eq15"\nmodel'), "mypaper.sec1.bad", "corrects is no field"),
        (bad("").replace("model", 'unread = ""\nmodel'), "mypaper.sec1.bad", "unread is no field"),
    ],
    ids=[
        *("print", "says", "no id", "fields", "corrected", "narrower", "narrower idle", "line", "line of another"),
        *("definitions", "corrects", "unread"),
    ],
)
def test_an_entry_of_a_statements_file_that_cannot_be_read_spoils_no_other(
    entry: str, name: str, part: str, offer: Offer, site: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    offer("one", "mypaper", theorems='from theorems.authoring import claims_from\nclaims_from("one")\n')
    good = ENTRY.format(id="mypaper.sec1.mean", printed="i*tr(Sigma)", more="")
    (site / "one" / "statements.toml").write_text(ENTRIES + entry + good)
    found = judged_apart(tmp_path, capsys)
    assert found["mypaper.sec1.mean"]["verdict"] == "verified"
    assert found[name]["verdict"] == "error"
    assert part in str(found[name]["reason"])


RAISING = {
    "raises": ("raise RuntimeError('no\\nway')\n", "RuntimeError: no way"),
    "syntax": ("def broken(:\n", "SyntaxError"),
    "exits": ("import sys\nsys.exit(3)\n", "SystemExit"),
    "own": ("import one.nowhere\n", "one.nowhere"),
    "missing": ("import nowhere_at_all\n", "nowhere_at_all"),
    "derived twice": (GOOD + GOOD.split("\n\n\n")[1], "a second derivation (one.theorems.a_bad.mean); keep one"),
}


@pytest.mark.parametrize("text", RAISING)
def test_a_file_that_cannot_be_imported_spoils_no_other_of_its_package(
    text: str, offer: Offer, site: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad, told = RAISING[text]
    offer("one", "mypaper")
    folder = site / "one" / "theorems"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "a_bad.py").write_text(bad.replace("{paper}", "mypaper").replace("sec1", "sec0"))
    (folder / "b_good.py").write_text(GOOD.replace("{paper}", "mypaper"))
    found = judged_apart(tmp_path, capsys)
    assert found["mypaper.sec1.mean"]["verdict"] == "verified"
    reason = str(found["mypaper.a_bad.unread"]["reason"])
    assert "one.theorems.a_bad cannot be imported" in reason
    assert told in reason
    assert "\n" not in reason


def test_a_file_of_one_module_keeps_the_lemmas_before_what_it_raises(
    offer: Offer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    offer("one", "mypaper", theorems=GOOD + "raise RuntimeError('no')\n")
    found = judged_apart(tmp_path, capsys)
    assert found["mypaper.sec1.mean"]["verdict"] == "verified"
    assert "one.theorems cannot be imported: RuntimeError: no" in str(found["mypaper.theorems.unread"]["reason"])


ONE = """
from montecarlo.registry import evaluation, simulation
from montecarlo.walks import form


@simulation("{id}", degree=2)
def one(walk, W, i, j):
    return form(walk.token(i), W, walk.token(j)){more}
"""
#: What a file of simulations may do, and what is said of it.
UNUSED = {
    "raises": ("raise RuntimeError('no')\n", "RuntimeError: no"),
    "syntax": ("def broken(:\n", "SyntaxError"),
    "exits": ("import sys\nsys.exit(3)\n", "SystemExit"),
    "missing": ("import nowhere_at_all\n", "nowhere_at_all"),
    "degree": ("simulation('mypaper.sec1.bad', degree=-1)(one)\n", "degree=-1"),
    "twice": ("simulation('mypaper.sec1.more', degree=2)(one)\n", "already registered"),
}


@pytest.mark.parametrize("text", UNUSED)
def test_a_file_of_simulations_that_cannot_be_imported_spoils_no_other_lemma(
    text: str, offer: Offer, site: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    raising, told = UNUSED[text]
    stated = 'claim("mypaper.sec1.{name}", "E[x[i].T*W*x[j]] = i*tr(W*Sigma)", hypotheses="W symmetric, i <= j")\n'
    names = ("mean", "more", "bad", "last")
    lemmas = "".join(stated.format(name=name) for name in names)
    offer("one", "mypaper", theorems="from theorems.authoring import claim\n" + lemmas)
    folder = site / "one" / "montecarlo"
    folder.mkdir()
    (folder / "__init__.py").touch()
    first = ONE.format(id="mypaper.sec1.more", more="")
    (folder / "a_bad.py").write_text(first + f"{raising}simulation('mypaper.sec1.bad', degree=2)(one)\n")
    (folder / "b_good.py").write_text(ONE.format(id="mypaper.sec1.last", more=""))
    found = judged_apart(tmp_path, capsys)
    # without a simulation, or with one that was registered, they are judged
    spoiled = {"bad", "more"} if text == "syntax" else {"bad"}
    for name in set(names) - spoiled:
        assert found[f"mypaper.sec1.{name}"]["verdict"] == "verified", found[f"mypaper.sec1.{name}"]["reason"]
    for name in spoiled:
        assert found[f"mypaper.sec1.{name}"]["verdict"] == "error"
        reason = str(found[f"mypaper.sec1.{name}"]["reason"])
        assert "one.montecarlo.a_bad cannot be imported: " in reason
        assert told in reason.replace("degree = -1", "degree=-1")


def test_a_package_derives_its_own_lemmas_alone(
    offer: Offer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # what it imports of others is theirs
    own = "import theorems.bao2024.lemma1\n" + GOOD
    stolen = GOOD.split("\n\n\n")[1].replace("{paper}.sec1.mean", "other.sec1.mean")
    offer("one", "mypaper", theorems=own + "\n\n" + stolen)
    found = judged_apart(tmp_path, capsys)
    assert found["mypaper.sec1.mean"]["verdict"] == "verified"
    assert list(found) == ["mypaper.sec1.mean", "mypaper.unread.other-sec1-mean"]
    assert "derives a claim that is not its own" in str(found["mypaper.unread.other-sec1-mean"]["reason"])
    assert "other.sec1.mean" not in derivation.registry


def test_a_package_simulates_its_own_lemmas_alone(
    offer: Offer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    offer("one", "mypaper", theorems=GOOD, montecarlo=SAMPLED + ONE.format(id="other.sec1.mean", more="*2"))
    found = judged_apart(tmp_path, capsys)
    assert "simulates other.sec1.mean, which is not its own" in str(found["mypaper.sec1.mean"]["reason"])
    with pytest.raises(LookupError):
        registry.find("other.sec1.mean")


def test_in_a_notebook_it_is_told_at_once() -> None:
    with pytest.raises(CatalogueError, match="at column"):
        stated("mypaper.sec1.bad", "E[x[i].T*V*x[j]] = i*tr(W*Sigma)")


def test_a_package_without_theorems(offer: Offer, capsys: pytest.CaptureFixture[str]) -> None:
    offer("one", "mypaper", montecarlo="")
    assert "'one' of the paper 'mypaper' has no module theorems; add one" in refusal(capsys)


def test_a_package_that_is_gone(offer: Offer, site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    offer("one", "mypaper")
    (site / "one" / "__init__.py").unlink()
    (site / "one").rmdir()
    assert "'one'" in refusal(capsys)


@pytest.mark.parametrize("text", ["import torch\n", "import montecarlo.walks\n"])
def test_a_derivation_may_not_import_torch(text: str, offer: Offer, site: Path) -> None:
    offer("one", "mypaper", theorems=text + GOOD)
    if "torch" in text:
        # what counts is the name: an empty module is imported at once, the other case has the true one
        (site / "torch.py").touch()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(site)))}
    command = [sys.executable, "-m", "proofs_check", "list"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "one.theorems imports torch" in done.stderr


@pytest.mark.parametrize(
    ("modules", "reason"),
    [
        ({"theorems": WORDS}, "no simulation is registered; write one with @simulation"),
        ({"theorems": WORDS.split("@derivation")[0], "montecarlo": SAMPLED}, "no derivation is registered"),
    ],
)
def test_a_missing_twin_is_an_error_of_that_claim_alone(
    modules: dict[str, str], reason: str, offer: Offer, tmp_path: Path
) -> None:
    offer("one", "mypaper", **modules)
    target = tmp_path / "report.json"
    arguments = ["verify", "mypaper", "bao2024.sec2.softmax-taylor", "--effort", "quick", "--json", str(target)]
    assert cli.main(arguments) == 1
    found = {claim["id"]: claim for claim in json.loads(target.read_text())["claims"]}
    assert found["bao2024.sec2.softmax-taylor"]["verdict"] == "verified"
    assert found["mypaper.sec1.mean"]["verdict"] == "error"
    assert "mypaper.sec1.mean" in found["mypaper.sec1.mean"]["reason"]
    assert reason in found["mypaper.sec1.mean"]["reason"]


def test_a_claim_in_words_is_undecided_and_one_that_is_data_needs_no_side(offer: Offer, tmp_path: Path) -> None:
    offer("one", "mypaper", theorems=WORDS, montecarlo=SAMPLED)
    offer("two", "other", theorems=GOOD.split("@derivation")[0])
    target = tmp_path / "report.json"
    assert cli.main(["verify", "mypaper", "other", "--effort", "quick", "--json", str(target)]) == 0
    report = json.loads(target.read_text())
    found = {claim["id"]: claim for claim in report["claims"]}
    assert found["mypaper.sec1.mean"]["verdict"] == "undecided"
    assert "informal" in found["mypaper.sec1.mean"]["reason"]
    assert found["other.sec1.mean"]["verdict"] == "verified"
    assert [found[f"{name}.sec1.mean"]["bound"] for name in ("mypaper", "other")] == [False, True]
    assert report["run"]["bound"] == 1


@pytest.mark.parametrize("command", [["eval", "--set", "i=1", "--set", "j=2", "--w"], ["verify", "--dry-run"]])
def test_a_missing_twin_elsewhere_is_a_line(
    command: list[str], offer: Offer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import numpy as np

    np.save(tmp_path / "W.npy", np.eye(2))
    offer("one", "mypaper", theorems=WORDS)
    more = [str(tmp_path / "W.npy")] if command[-1] == "--w" else []
    told = refusal(capsys, *command, *more, "mypaper.sec1.mean")
    assert "no simulation is registered" in told


def test_an_exception_that_cannot_be_told_is_named() -> None:
    class OfAUser(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    assert shown_error(OfAUser()) == "OfAUser: it cannot be written as text"
