"""The site as one file: every page a part of it, every link leads within it, nothing outside is needed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from proofs_check.report import site
from proofs_check.report.site import bundle, pages
from tests.proofs_check.report.site.reading import read
from tests.proofs_check.report.site.test_pages import hostile

Report = Any
PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"/>'


def faults(text: str) -> list[str]:
    """What is nested wrong, ids that are there twice, and links that lead nowhere or out of the file."""
    elements, found = read(text)
    ids = Counter(element.attributes["id"] for element in elements if "id" in element.attributes)
    bad = [*map(str, found), *(f"{name} twice" for name, count in ids.items() if count > 1)]
    for element in elements:
        for key in ("href", "src"):
            target = element.attributes.get(key) or "data:,"
            if not (target.startswith("data:") or (target.startswith("#") and target[1:] in ids)):
                bad.append(f"{element.tag} {key}={target}")
        for key in ("aria-labelledby", "data-copy", "for"):
            bad += [f"{key}={name}" for name in (element.attributes.get(key) or "").split() if name not in ids]
    return bad


def test_every_link_leads_within_the_file(sample_report: Report, tmp_path: Path) -> None:
    (tmp_path / "one.svg").write_text(PICTURE)
    site.write(sample_report, tmp_path / "all.html", figures=tmp_path, before=sample_report)
    text = (tmp_path / "all.html").read_text()
    assert faults(text) == [] and "data:image/svg+xml;base64," in text
    ids = {element.attributes.get("id") for element in read(text)[0]}
    assert {f"page-claims-{claim['id']}" for claim in sample_report["claims"]} | {"page-index", "page-run"} <= ids
    assert {path.name for path in tmp_path.iterdir()} == {"one.svg", "all.html"}


def test_a_hostile_report_adds_no_script(sample_report: Report, tmp_path: Path) -> None:
    site.write(hostile(sample_report), tmp_path / "all.html")
    assert sum(element.tag == "script" for element in read((tmp_path / "all.html").read_text())[0]) == 1


@pytest.mark.parametrize("wrong", ['<a href="claims/none.html#x">', '<p id="page-index">', '<img src="elsewhere.png">'])
def test_a_fault_would_be_seen(wrong: str, sample_report: Report) -> None:
    text = bundle.bundled(dict(pages.files(sample_report))).decode()
    assert faults(text) == [] != faults(text.replace("</main>", f"{wrong}</main>"))
