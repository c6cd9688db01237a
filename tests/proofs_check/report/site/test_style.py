"""Colours that can be read: contrast of every text colour on every ground, light and dark, computed from the sheet."""

from __future__ import annotations

import base64
import re
from importlib import resources

import pytest

from proofs_check.inputs.expect import VERDICTS
from proofs_check.report.site.pages import assets

SHEET = resources.files("proofs_check.report.site").joinpath("assets", "style.css").read_text(encoding="utf-8")
PAIRS = dict(re.findall(r"--([a-z]+): light-dark\((#[0-9a-f]{6}, #[0-9a-f]{6})\)", SHEET))
TEXTS = ("ink", "quiet", "accent", *VERDICTS)


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, two: str) -> float:
    """WCAG's contrast ratio."""
    low, high = sorted((luminance(one), luminance(two)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_computed_right() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("ground", ["ground", "panel"])
@pytest.mark.parametrize("theme", [0, 1])
def test_texts_can_be_read(text: str, ground: str, theme: int) -> None:
    chosen = [PAIRS[name].split(", ")[theme] for name in (text, ground)]
    assert contrast(*chosen) >= 4.5


def test_the_sheet_has_no_other_colours_for_text() -> None:
    body = SHEET.split("--serif", 1)[1]
    assert set(re.findall(r"#[0-9a-fA-F]{3,8}\b", body)) <= {"#fff"}
    assert set(re.findall(r"var\(--([a-z]+)\)", SHEET)) <= {*PAIRS, "serif", "sans", "mono"}


def test_the_font_of_formulas_comes_with_the_style() -> None:
    # a local page may load no font from beside it, and no page loads anything from a network
    written = dict(assets())
    style = written["assets/style.css"].decode()
    (found,) = re.findall(r"@font-face \{[^}]*url\(([^)]*)\)", style)
    assert base64.b64decode(found.removeprefix("data:font/woff2;base64,")).startswith(b"wOF2")
    assert "url(" not in style.replace(found, "").replace("url()", "")
    assert b"SIL OPEN FONT LICENSE" in written["assets/OFL.txt"]


def test_focus_is_visible_and_never_taken_away() -> None:
    assert re.search(r":focus-visible \{ outline: 3px solid var\(--accent\)", SHEET)
    for rule in re.findall(r"([^{}]+)\{[^{}]*outline: none", SHEET):
        # the main part is focused by the skip link alone; a node of the graph shows its frame instead
        assert rule.strip() in ("main:focus", ".graph a:focus-visible")


def test_every_verdict_has_a_shape_of_its_own() -> None:
    page = resources.files("proofs_check.report.site").joinpath("templates", "base.html").read_text(encoding="utf-8")
    shapes = dict(re.findall(r'<symbol id="m-([a-z]+)"[^>]*>(<[^>]+>)', page))
    assert set(shapes) == set(VERDICTS) and len(set(shapes.values())) == len(VERDICTS)
