"""The site as files: whole, linked, escaped, readable without a mouse, and the same for the same report."""

from __future__ import annotations

import copy
import hashlib
import json
import math
import os
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from proofs_check.claims.report import Variant
from proofs_check.claims.schema import empty
from proofs_check.report import byhand, documents, site, telling
from proofs_check.report.publishing import HEAD, MANIFEST, MOST
from proofs_check.report.site import names, pages, view
from tests.proofs_check.report.site.reading import Element, read

Report = Any
EVIL = "<script>alert(1)</script>"
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")


def written(report: Report, **more: Any) -> dict[str, str]:
    """The text files of a report's site by path."""
    return {name: content.decode() for name, content in pages.files(report, **more) if not name.startswith("figures/")}


def html(found: dict[str, str]) -> dict[str, list[Element]]:
    """The elements of every page; each page is nested right."""
    read_pages = {}
    for name, text in found.items():
        if name.endswith(".html"):
            elements, faults = read(text)
            assert not faults, (name, faults[:3])
            read_pages[name] = elements
    return read_pages


def broken_links(found: dict[str, str], names: set[str]) -> list[str]:
    """Links, images, scripts and uses that lead to no file and no id."""
    read_pages = html(found)
    ids = {
        name: {e.attributes["id"] for e in elements if "id" in e.attributes} for name, elements in read_pages.items()
    }
    bad = []
    for name, elements in read_pages.items():
        for element in elements:
            for key in ("href", "src"):
                target = element.attributes.get(key)
                if target is None or target.startswith("data:,"):
                    continue
                path, _, fragment = target.partition("#")
                there = str((Path("/") / name).parent / path) if path else "/" + name
                there = re.sub(r"[^/]+/\.\./", "", there).removeprefix("/")
                if there not in names or (fragment and fragment not in ids[there]):
                    bad.append(f"{name}: {target}")
    return bad


@pytest.fixture
def figures(tmp_path: Path) -> Path:
    folder = tmp_path / "figures"
    folder.mkdir()
    (folder / "one.png").write_bytes(b"png")
    (folder / "one.svg").write_bytes(b"<svg>longer</svg>")
    (folder / "one.json").write_text(json.dumps({"where": "Figure 1", "claim": "bao2024.appA.eq15"}))
    (folder / "one.txt").write_text("What <b>one</b> shows.")
    (folder / "two_three.svg").write_bytes(b"<svg/>")
    (folder / "notes.txt").write_text("no figure")
    return folder


def hostile(report: Report) -> Report:
    """The report with markup, control characters, huge and impossible numbers in every text and number."""
    found = copy.deepcopy(report)
    claims = found["claims"]
    first, second = claims[0], claims[1]
    first.update(
        statement=rf"\text{{{EVIL}}} x_1", reading=f"{EVIL} & 'a' \"b\" \x00\x1b[31m", where=f'"{EVIL}', quantity=EVIL
    )
    first.update(assumptions=[EVIL], printed={f"q{EVIL}": f"a + {EVIL}", "b": "9" * 5000}, reason=EVIL, kind='"><b>')
    first["symbolic"].update(method=EVIL, evidence=[EVIL, "x" * 40_000], exact="((((" * 400)
    first["proof"]["steps"] = [
        {"text": f"{EVIL} = 1", "rule": EVIL, "ok": True},
        {"text": "0 = 1", "rule": "r", "ok": False},
    ]
    first["cases"] = [
        first["cases"][0] | {"estimate": math.nan, "low": -math.inf},
        *(
            first["cases"][0] | {"printed": value, "derived": "1/0"}
            for value in (10**400, "1" * 9000, 1e308, True, None, EVIL)
        ),
    ]
    first["cases"] += [first["cases"][0] | {"estimate": 1e308, "derived": "-1", "low": -1e308, "high": 1e308}]
    first["simulation"].update(power=EVIL, tier=EVIL, detectable=math.nan, max_z=math.inf, p_value=math.nan)
    first["variants"] = [empty(Variant) | {"name": EVIL, "evidence": [EVIL]}]
    first["depends_on"] = [EVIL, "nowhere.at.all"]
    second["correction"].update(latex=rf"\href{{javascript:alert(1)}}{{x}} {EVIL}", sympy=EVIL, holds=EVIL)
    second["counterexample"].update(params={EVIL: [[EVIL]]}, printed=math.nan, true=10**300)
    second["replay"] = f"twofold verify '{EVIL}'"
    claims[5].update(traceback=f"Traceback\n  {EVIL}\n\ud800", reason=EVIL)
    claims.append(copy.deepcopy(first) | {"id": f"../../{EVIL}"})
    claims.append(copy.deepcopy(first))
    found["run"].update(device=EVIL, command=[EVIL], versions={EVIL: EVIL}, seconds=1e308)
    found["run"]["ledger"][0].update(id=EVIL, spent=1.0)
    return found


def test_every_claim_has_its_page_and_every_link_leads_somewhere(sample_report: Report, figures: Path) -> None:
    found = dict(pages.files(sample_report, selftest={"seed": 1}, figures=figures, before=sample_report))
    texts = {name: content.decode() for name, content in found.items() if not name.startswith("figures/")}
    assert broken_links(texts, set(found)) == []
    for claim in sample_report["claims"]:
        page = texts[f"claims/{claim['id']}.html"]
        assert claim["verdict"] in page and claim["id"] in page
    linked = {e.attributes.get("href") for e in html(texts)["index.html"] if e.tag == "a"}
    base = [c for c in sample_report["claims"] if not c["id"].endswith(".corrected")]
    assert {f"claims/{claim['id']}.html" for claim in base} <= linked
    nodes = {e.attributes.get("href") for e in html(texts)["graph.html"] if "data-id" in e.attributes}
    assert nodes == {f"claims/{claim['id']}.html" for claim in base}


def test_a_broken_link_would_be_seen(sample_report: Report) -> None:
    found = written(sample_report)
    found["index.html"] = found["index.html"].replace("claims/bao2024.appA.eq11.html", "claims/none.html", 1)
    found["run.html"] = found["run.html"].replace('href="#main"', 'href="#mian"')
    assert [line.split(":")[0] for line in broken_links(found, set(found))] == ["index.html", "run.html"]


@pytest.mark.parametrize("change", [lambda report: report, hostile])
def test_ids_are_unique_names_are_there_and_headings_step(
    sample_report: Report, change: Callable[[Report], Report]
) -> None:
    for name, elements in html(written(change(sample_report), selftest={}, before=sample_report)).items():
        ids = [e.attributes["id"] for e in elements if "id" in e.attributes]
        assert len(ids) == len(set(ids)), name
        for element in elements:
            for key in ("aria-labelledby", "aria-describedby"):
                assert set(element.attributes.get(key, "").split()) <= set(ids), (name, element.tag)
            if element.tag in ("a", "button", "summary"):
                assert element.text.strip() or element.attributes.get("aria-label"), (name, element.attributes)
            if element.tag == "img":
                assert element.attributes["alt"]
            if element.tag == "table":
                heads = [e for e in element.all() if e.tag == "th"]
                assert heads and all(e.attributes.get("scope") in ("row", "col") for e in heads), name
            if element.tag == "svg":
                named = element.attributes.get("aria-labelledby") and element.attributes.get("role")
                assert named or element.attributes.get("aria-hidden") == "true", (name, element.attributes)
            if element.tag in ("input", "select"):
                assert element.parent is not None and element.parent.tag == "label"
        levels = [HEADINGS.index(e.tag) for e in elements if e.tag in HEADINGS]
        assert levels[0] == 0 and levels.count(0) == 1, name
        assert all(two <= one + 1 for one, two in pairwise(levels)), (name, levels)
        tags = [e.tag for e in elements]
        assert tags.count("main") == 1 and "nav" in tags and "title" in tags
        html_element = next(e for e in elements if e.tag == "html")
        assert html_element.attributes["lang"] == "en"


def test_nothing_in_a_report_becomes_markup(sample_report: Report) -> None:
    found = written(hostile(sample_report), selftest={"error_rates": {"estimators": {EVIL: {}}}}, before=sample_report)
    for name, elements in html(found).items():
        scripts = [e for e in elements if e.tag == "script"]
        assert len(scripts) == 1 and scripts[0].attributes["src"].endswith("assets/app.js"), name
        assert not [e for e in elements if e.tag == "b" or any(key.startswith("on") for key in e.attributes)], name
        assert not [e for e in elements if e.attributes.get("href", "").lower().startswith("javascript")], name
        assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff]", found[name]), name
    assert "&lt;script&gt;" in found["claims/bao2024.appA.eq11.html"]
    assert all(".." not in name and "<" not in name for name in found)
    assert len({name.lower() for name in found}) == len(found)


def test_a_page_that_escaped_nothing_would_be_seen(sample_report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = pages.environment

    def careless() -> Any:
        found = plain()
        found.autoescape = False
        return found

    monkeypatch.setattr(pages, "environment", careless)
    page = written(hostile(sample_report))["claims/bao2024.appA.eq11.html"]
    assert len([e for e in read(page)[0] if e.tag == "script"]) > 1


def test_an_error_and_a_partial_run_are_told_on_the_first_screen(sample_report: Report) -> None:
    sample_report["run"]["partial"] = True
    found = written(sample_report)
    assert "before the run was interrupted" in found["index.html"]
    assert "Something is wrong in Twofold itself" in found["index.html"]
    assert "Traceback (most recent call last)" in found["claims/bao2024.appC.lemma1-A.html"]


def test_the_first_wrong_step_and_the_first_false_line_are_marked(sample_report: Report) -> None:
    claim = sample_report["claims"][1]
    claim["proof"]["steps"] += [
        {"text": "1 = 2", "rule": "r", "ok": False},
        {"text": "2 = 3", "rule": "r", "ok": False},
    ]
    page = written(sample_report)["claims/bao2024.appA.eq15.html"]
    assert page.count("first wrong step") == 1
    assert page.count("first false line</strong>") == 1
    wrong = [e for e in read(page)[0] if e.tag == "li" and e.attributes.get("class") == "wrong"]
    assert len(wrong) == 2 and "first wrong step" in wrong[0].text


def test_print_and_derivation_stand_side_by_side(sample_report: Report) -> None:
    page = written(sample_report)["claims/bao2024.appA.eq15.html"]
    table = next(e for e in read(page)[0] if e.attributes.get("class") == "sides")
    cells = [e for e in table.all() if e.tag == "td"]
    assert [cell.attributes["data-label"] for cell in cells] == ["Printed", "Derived"]
    marks = [next(e for e in cell.all() if e.tag == "div").attributes["class"].split() for cell in cells]
    assert ["wrong" in marks[0], "right" in marks[1]] == [True, True]


def test_of_one_quantity_the_print_and_what_holds_stand_above_alone(sample_report: Report) -> None:
    """The table that repeats them is folded; of several quantities it shows which is wrong, and is open."""
    claim, correction = sample_report["claims"][1:3]
    name = "claims/bao2024.appA.eq15.html"
    (table,) = (e for e in read(written(sample_report)[name])[0] if e.attributes.get("class") == "sides")
    assert table.parent is not None and table.parent.tag == "details"
    for one in (claim, correction):
        one["printed"] = one["printed"] | {"second": "i"}
    (table,) = (e for e in read(written(sample_report)[name])[0] if e.attributes.get("class") == "sides")
    assert table.parent is not None and table.parent.attributes.get("aria-labelledby") == "sides"


def test_what_the_verdict_speaks_of_stands_by_it_wherever_it_is_told(sample_report: Report) -> None:
    claim = sample_report["claims"][1]
    assert "Judged" not in written(sample_report)["claims/bao2024.appA.eq15.html"]
    claim["judged"] = "the rule that the step invokes, at x_1"
    found = written(sample_report)
    page = found["claims/bao2024.appA.eq15.html"]
    assert page.count("the rule that the step invokes") == 2 and "what is judged is its reading" not in page
    assert "x_1" not in page.partition('id="reading"')[0]
    assert found["index.html"].count("the rule that the step invokes") == 2
    assert "verified. 1 of them is judged in one sense only, as it says there." in found["index.html"]
    assert r"\told{Judged}{the rule that the step invokes" in found["comments-1.tex"]
    assert "the rule that the step invokes" in found["report.md"]


def test_edges_and_values_before_a_limit_say_where_they_are(
    sample_report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim = sample_report["claims"][1]
    claim["agreement"].update(cases=1, edges=["lam < 1/100", "start zero"], missed=["kappa = 3"])
    claim["counterexample"].update(limit="limit at theta = 1/2", finite="2309/27648")
    monkeypatch.setattr(byhand, "check", lambda claim: ("Take i = 1.",))
    page = written(sample_report)["claims/bao2024.appA.eq15.html"]
    assert "<mi>λ</mi>" in page and "<mi>κ</mi>" in page and "start zero" not in page and "kappa = 3" not in page
    # the value at a case has that case beside it, though the check by hand begins with another one
    assert ">At " in page.partition('id="simulation"')[0]


def test_an_end_is_told_in_the_letter_of_its_range(sample_report: Report) -> None:
    claim = sample_report["claims"][1]
    claim["said"] = {"letters": {"dim": "d"}}
    ranges: Any = [{"name": name, "least": "1", "largest": "20"} for name in ("dim", "overlap")]
    edges, missed = ["dim = 1", "overlap = 1"], ["dim = 20"]
    claim["agreement"].update(cases=30, ranges=ranges, edges=edges, missed=missed)
    told = "30 further cases drawn: d from 1 to 20, overlap from 1 to 20; 2 of 3 edges of the hypotheses met"
    assert telling.asked(claim, lambda name: names.letter(name, claim)) == told
    entries = {entry.id: entry for entry in view.entries(sample_report)}
    found = view.detail(entries[claim["id"]], entries)
    assert len(found["met"]) == 2 and len(found["missed"]) == 1
    assert "<mi>d</mi>" in found["met"][0] and "<mi>d</mi>" in found["missed"][0]


def test_a_correction_s_further_cases_are_told_to_be_its_claim_s(sample_report: Report) -> None:
    claim = sample_report["claims"][1]
    claim["id"] += ".corrected"
    claim["agreement"].update(cases=30, edges=["dim = 1"])
    drawn = "30 further cases drawn for its claim, whose derivation and simulation agree there"
    assert telling.asked(claim) == f"{drawn}: 1 of 1 edge of the hypotheses met"


def test_what_is_found_of_several_quantities_in_the_same_words_stands_once(sample_report: Report) -> None:
    claim = sample_report["claims"][1]
    claim["printed"] = {"one": "1", "two": "2"}
    claim["symbolic"]["evidence"] = ["one: proved", "note: this", "two: proved", "two: derived 2", "note: this"]
    assert view.gathered(claim) == ["one, two: proved", "note: this", "two: derived 2"]


def test_a_page_calls_printed_only_what_stands_in_the_source(sample_report: Report) -> None:
    """A correction is this project's, and so is a statement that it made precise: their pages speak of no print."""
    sample_report["claims"][1]["fidelity"] = "own"
    # lines of a proof are printed whoever says what they prove
    sample_report["claims"][1]["proof"]["lines"] = []
    found = written(sample_report)
    for name, head in (("eq15", "As read"), ("eq15.corrected", "Corrected")):
        (main,) = (e for e in read(found[f"claims/bao2024.appA.{name}.html"])[0] if e.tag == "main")
        tags = ("th", "dt", "h2", "h3", "summary")
        shown = [e.text for e in main.all() if e.tag in tags or e.attributes.get("class") == "word"]
        assert head in shown and f"{head} and derived, as this project has them" in shown
        assert not [text for text in shown if re.search("[Pp]rint", text)]
    index = found["index.html"]
    assert "What is wrong in statements as this project reads them" in index and "What is wrong, by cause" not in index
    assert "1 of the refuted is a statement that this project filled in, made precise or read in its own way" in index


def test_a_correction_of_a_narrower_print_is_its_statement_with_where_it_holds(sample_report: Report) -> None:
    sample_report["claims"][1]["correction"].update(where="l > 0", narrowed=True)
    page = written(sample_report)["claims/bao2024.appA.eq15.corrected.html"]
    base, narrowed = (entry.statement for entry in view.entries(sample_report)[1:3])
    assert base == narrowed and f'{narrowed} <span class="word">where</span>' in page
    upper = written(sample_report)["claims/bao2024.appA.eq15.html"]
    assert "proved where" in upper and "no formula of it in the report" not in upper


def test_an_error_of_its_own_is_not_laid_to_what_a_claim_rests_on(sample_report: Report) -> None:
    upper = copy.deepcopy(sample_report["claims"][1]) | {"id": "bao2024.sec4.upper"}
    upper["rests_on_refuted"] = ["bao2024.appA.eq15"]
    sample_report["claims"].append(upper)
    assert (
        "Its error is its own, and does not come from the refuted claim on"
        in written(sample_report)["claims/bao2024.sec4.upper.html"]
    )


def test_without_parameters_a_counterexample_is_at_none(sample_report: Report) -> None:
    sample_report["claims"][1]["counterexample"]["params"] = {}
    page = written(sample_report)["claims/bao2024.appA.eq15.html"]
    assert "It has no parameters" in page and ">At " not in page


def test_a_case_that_the_check_by_hand_begins_with_is_told_once(
    sample_report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor then are parameters shown that only the suite's cases have, as a seed."""
    sample_report["claims"][1]["counterexample"]["params"]["mix"] = "1"
    assert ">At " in written(sample_report)["claims/bao2024.appA.eq15.html"]
    monkeypatch.setattr(byhand, "check", lambda claim: ("Take i = 1.", "The print gives 0."))
    page = written(sample_report)["claims/bao2024.appA.eq15.html"]
    main = page.partition('id="simulation"')[0]
    assert ">At " not in main and "mix" not in main and "Take" in main


def test_an_inherited_error_says_what_is_wrong_where_it_comes_from(sample_report: Report) -> None:
    heir = copy.deepcopy(sample_report["claims"][1]) | {"id": "bao2024.sec4.heir", "where": "Eq. (99)"}
    heir["rests_on_refuted"] = heir["depends_on"] = ["bao2024.appA.eq15"]
    sample_report["claims"].append(heir)
    found = view.detail(view.entries(sample_report)[-1], {entry.id: entry for entry in view.entries(sample_report)})
    told = [str(why) for _, _, why in found["sources"]]
    entry = view.entries(sample_report)[1]
    assert told == [str(view.cause(entry))] * len(told)
    assert str(view.cause(entry))[:1].islower() or str(view.cause(entry)).startswith("<")


def test_a_line_of_a_proof_says_once_that_its_error_reaches_the_conclusion(sample_report: Report) -> None:
    line = {
        "label": "line 1",
        "where": "here",
        "printed": "1",
        "derived": "2",
        "holds": False,
        "reaches": True,
        "claim": "",
    }
    sample_report["claims"][1]["proof"] |= {"lines": [line], "first_false": "line 1", "first_reaching": "line 1"}
    page = written(sample_report)["claims/bao2024.appA.eq15.html"]
    table = page.partition('id="proof"')[2].partition("</table>")[0]
    assert table.count("reaches the conclusion") == 1


def test_what_says_more_than_the_print_stands_on_the_page_and_in_the_findings(sample_report: Report) -> None:
    report = copy.deepcopy(sample_report)
    claim = report["claims"][0]
    line = {"where": "for every i", "printed": "E[norm(x[i])**2] = i*tr(Sigma)", "latex": "a = b", "reaches": False}
    line |= {"said": "for every Sigma that there is", "power": "an error of 4% is caught"}
    claim["beyond"] = [
        {**line, "label": label, "derived": "", "holds": holds} for label, holds in (("proved", True), ("open", None))
    ]
    page = next(text for name, text in written(report).items() if name.endswith(f"{claim['id']}.html"))
    assert (
        "Beyond the print" in page
        and "(undecided): for every" in page
        and "that there is</p>" in page
        and "Power: an error of 4% is caught." in page
    )
    assert "beyond the print" in dict(telling.findings(claim, None))
    assert "proved (verified): $" in written(report)["report.md"]
    found = documents.found(report)
    assert "### Beyond the prints" in found and ", proved: $" in found and ", open: $" not in found
    assert "Beyond" not in documents.found(sample_report)


def test_a_title_begins_with_a_capital_but_within_a_sentence(sample_report: Report) -> None:
    assert view.shortened("below (34)") == "Below (34)"
    # neither a bracket nor a quotation is left open
    long = "Lemma 4, as its proof ('a standard application of Markov's inequality to the moments') has it"
    assert view.shortened(long) == "Lemma 4, as its proof …"
    assert view.shortened(f"Abstract: 'the equivalence of {'one and another, ' * 5}in the end'").endswith(" …'")
    sample_report["claims"][0]["where"] = "below (34)"
    entry = view.entries(sample_report)[0]
    assert (entry.title, entry.within) == ("Below (34)", "below (34)")


def test_a_correction_that_only_reorders_is_not_marked_wrong(sample_report: Report) -> None:
    sample_report["claims"][1]["printed"]["mean"] = "(i - 1/2)*tr1"
    sample_report["claims"][2]["printed"]["mean"] = "tr1*(i - 1/2)"
    page = written(sample_report)["claims/bao2024.appA.eq15.html"]
    row = next(e for e in read(page)[0] if e.tag == "tr" and e.text.strip().startswith("mean"))
    assert "as printed" in row.text
    assert not [e for e in row.all() if "wrong" in e.attributes.get("class", "")]


def test_an_exact_value_of_another_quantity_is_not_called_the_printed_one(sample_report: Report) -> None:
    sample_report["claims"][0]["symbolic"]["exact"] = "7/12"
    page = written(sample_report)["claims/bao2024.appA.eq11.html"]
    cell = next(e for e in read(page)[0] if e.attributes.get("data-label") == "Derived")
    assert cell.text.strip() == "proved as printed"
    assert "as the derivation gave it, in <math>" in page and "in tr1, mWm" not in page


def test_a_correction_that_was_not_verified_is_not_said_to_hold(sample_report: Report) -> None:
    assert "what holds:" in written(sample_report)["index.html"]
    sample_report["claims"][2].update(verdict="undecided", reason="too little power")
    found = written(sample_report)
    assert "what holds:" not in found["index.html"] and "correction, undecided:" in found["index.html"]
    assert "0 of the 1 refuted" in found["index.html"]
    assert "What holds" not in site.comments(sample_report, "bao2024")


def test_the_same_report_gives_the_same_bytes(sample_report: Report) -> None:
    assert list(pages.files(sample_report)) == list(pages.files(copy.deepcopy(sample_report)))


def test_the_report_is_not_changed(sample_report: Report) -> None:
    before = copy.deepcopy(sample_report)
    list(pages.files(sample_report, before=sample_report))
    assert sample_report == before


def test_a_later_run_takes_its_own_files_away_and_no_others(
    sample_report: Report, tmp_path: Path, figures: Path
) -> None:
    folder = tmp_path / "report" / "html"
    folder.parent.mkdir()
    site.write(sample_report, folder, figures=figures)
    (folder / "mine.txt").write_text("mine")
    outside = tmp_path / "outside.txt"
    outside.write_text("outside")
    mark = hashlib.sha256(b"outside").hexdigest()
    listed = (folder / MANIFEST).read_text()
    (folder / MANIFEST).write_text(f"{listed}{mark}  ../../outside.txt\n{mark}  {outside}\n{mark}  mine.txt\n")
    (folder / "models").mkdir()
    (folder / "models" / "small.html").write_text("a model")
    sample_report["claims"] = sample_report["claims"][:1]
    site.write(sample_report, folder)
    # the page of a model that was measured into the folder stays, and is linked to
    assert '<a href="models/small.html">small</a>' in (folder / "index.html").read_text()
    left = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert left == {*(name for name, _ in pages.files(sample_report)), MANIFEST, "mine.txt", "models/small.html"}
    assert outside.exists()
    assert not list(folder.rglob(".twofold-*"))


def test_what_somebody_changed_is_not_written_over(sample_report: Report, tmp_path: Path) -> None:
    site.write(sample_report, tmp_path)
    page = tmp_path / "claims" / "bao2024.appA.eq11.html"
    page.write_text("mine")
    with pytest.raises(FileExistsError, match="is not as a report left it"):
        site.write(sample_report, tmp_path)
    # nor is it taken away
    sample_report["claims"] = [claim for claim in sample_report["claims"] if claim["id"] not in page.name]
    site.write(sample_report, tmp_path)
    assert page.read_text() == "mine"


def test_a_list_of_somebody_else_is_none(sample_report: Report, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    for text in ("thesis.tex\n", f"{HEAD}\n" + f"{'0' * 64}  a\n" * (MOST + 1), "\x1b", ""):
        (tmp_path / MANIFEST).write_text(text)
        with pytest.raises(FileExistsError, match="no list of a report's files"):
            site.write(sample_report, tmp_path)
        assert sorted(os.listdir(tmp_path)) == [MANIFEST, "thesis.tex"]


def test_a_file_where_a_folder_is_needed(sample_report: Report, tmp_path: Path) -> None:
    (tmp_path / "claims").write_text("mine")
    with pytest.raises(NotADirectoryError, match="claims in it is a link or a file"):
        site.write(sample_report, tmp_path)
    assert os.listdir(tmp_path) == ["claims"]


@pytest.mark.parametrize("name", ["index.html", "report.json", "claims/bao2024.appA.eq11.html"])
def test_what_is_no_report_is_not_written_over(name: str, sample_report: Report, tmp_path: Path) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("mine")
    with pytest.raises(FileExistsError, match=name):
        site.write(sample_report, tmp_path)
    assert [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()] == [name]
    assert (tmp_path / name).read_text() == "mine"


def test_nothing_is_written_through_a_link_of_the_folder(sample_report: Report, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "claims").symlink_to(tmp_path / "outside")
    with pytest.raises(NotADirectoryError, match="is a link or a file"):
        site.write(sample_report, tmp_path / "site")
    assert not any((tmp_path / "outside").iterdir()) and len([*(tmp_path / "site").iterdir()]) == 1


def test_a_site_that_was_killed_half_way_is_written_anew(
    sample_report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[Path] = []
    replace = os.replace

    def killed(temporary: Path, path: Path) -> None:
        if len(done) == 5:
            raise KeyboardInterrupt
        done.append(path)
        replace(temporary, path)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(os, "replace", killed)
        site.write(sample_report, tmp_path)
    assert (tmp_path / "index.html").exists() and not (tmp_path / "report.json").exists()
    site.write(sample_report, tmp_path)
    assert (tmp_path / "report.json").exists()


def test_a_figure_is_shown_once_by_its_smaller_file(sample_report: Report, figures: Path) -> None:
    found = dict(pages.files(sample_report, figures=figures))
    assert found["figures/figure-1.png"] == b"png" and found["figures/figure-2.svg"] == b"<svg/>"
    page = found["figures.html"].decode()
    assert [e.attributes["alt"] for e in read(page)[0] if e.tag == "img"] == ["one: Figure 1", "two three"]
    assert "<p>What &lt;b&gt;one&lt;/b&gt; shows.</p>" in page
    assert "figures.html" not in dict(pages.files(sample_report))


def test_figures_stand_in_the_order_of_the_papers(sample_report: Report, figures: Path) -> None:
    (figures / "a.svg").write_text("<svg/>")
    page = dict(pages.files(sample_report, figures=figures))["figures.html"].decode()
    shown = [e.attributes["alt"].partition(":")[0] for e in read(page)[0] if e.tag == "img"]
    # the one that is of a claim comes first
    assert shown[0] == "one" and sorted(shown) == ["a", "one", "two three"]


def test_nothing_is_fetched_from_elsewhere(sample_report: Report) -> None:
    for name, text in written(sample_report).items():
        if name.endswith((".html", ".css", ".js")):
            assert not re.search(r"(?:https?:)?//[a-z0-9-]+\.[a-z]", text), name
            assert "@import" not in text and "fetch(" not in text


def test_the_rows_carry_what_the_filter_asks_for(sample_report: Report) -> None:
    elements = html(written(sample_report))["index.html"]
    rows = [e.attributes for e in elements if "data-verdict" in e.attributes]
    assert [row["data-verdict"] for row in rows] == ["verified", "refuted", "undecided", "conflict", "error"]
    assert {row["data-paper"] for row in rows} == {"bao2024"} and {row["data-kind"] for row in rows} == {"identity"}
    # a claim is found by its section, and by other words for what its text has
    assert all(word in rows[1]["data-text"] for word in ("appendix a", "equation"))
    places = [e.tag if e.tag == "form" else e.attributes.get("class") for e in elements]
    assert places.index("form") < places.index("overview")
    offered = [e.attributes["value"] for e in elements if e.attributes.get("name") == "verdict"]
    assert offered == ["verified", "refuted", "undecided", "conflict", "error"]
