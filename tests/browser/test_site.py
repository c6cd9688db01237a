"""The site in a real browser, from disk: it renders, nothing is said on the console, keys and filters work.

``CHROMIUM`` names the browser where it is not on the path.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from proofs_check.report import site
from tests.browser.devtools import Page, browser, installed
from tests.proofs_check.report.site.test_pages import hostile

pytestmark = pytest.mark.browser

Report = Any
SIZES = ((1280, 900), (390, 844))
#: Contrast of each text with what is painted behind it, the least of the page.
LEAST_CONTRAST = """(() => {
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const colour = (text) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data]; };
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255).map((c) => c <= 0.04045 ? c / 12.92 :
    ((c + 0.055) / 1.055) ** 2.4).reduce((sum, c, k) => sum + c * [0.2126, 0.7152, 0.0722][k], 0);
  const behind = (node) => { for (let at = node; at; at = at.parentElement) {
    const found = colour(getComputedStyle(at).backgroundColor); if (found[3] === 255) return found; }
    return [255, 255, 255, 255]; };
  let least = [99, ""];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const node = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || !node.checkVisibility() || node.closest("svg desc, svg title, .sr")) continue;
    const style = getComputedStyle(node);
    const own = light(colour(node.closest("svg text") ? style.fill : style.color)), ground = light(behind(node));
    const ratio = (Math.max(own, ground) + 0.05) / (Math.min(own, ground) + 0.05);
    if (ratio < least[0]) least = [ratio, node.outerHTML.slice(0, 80)];
  }
  return least;
})()"""


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    executable = installed()
    if executable is None:
        pytest.skip("no Chromium is installed: apt-get install chromium, or set CHROMIUM")
    with browser(executable, tmp_path_factory.mktemp("profile")) as found:
        yield found.page()


@pytest.fixture
def folder(sample_report: Report, tmp_path: Path) -> Path:
    figures = tmp_path / "figures"
    figures.mkdir()
    (figures / "one.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"/>')
    site.write(sample_report, tmp_path / "site", figures=figures, before=sample_report, selftest={"seed": 1})
    return tmp_path / "site"


@pytest.fixture
def page(tab: Page) -> Page:
    tab.view(*SIZES[0])
    tab.said.clear()
    return tab


def pages_of(folder: Path) -> list[Path]:
    return [*sorted(folder.glob("*.html")), *sorted(folder.glob("claims/*.html"))]


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("size", SIZES)
def test_every_page_renders_quietly_and_can_be_read(
    size: tuple[int, int], dark: bool, folder: Path, page: Page
) -> None:
    page.view(*size, dark=dark)
    for path in pages_of(folder):
        page.open(path)
        assert page.run("document.title.length > 5"), path.name
        assert page.run("document.documentElement.scrollWidth <= innerWidth"), path.name
        assert page.run("innerWidth") == size[0], f"{path.name} makes a narrow view wider"
        least, where = page.run(LEAST_CONTRAST)
        assert least >= 4.5, (path.name, least, where)
    ground = page.run("getComputedStyle(document.body).backgroundColor")
    assert (sum(int(part) for part in ground[4:-1].split(",")) < 200) == dark
    assert page.said == []


def test_a_console_error_and_a_faint_text_would_be_seen(folder: Path, page: Page) -> None:
    path = folder / "index.html"
    faint = '<p style="color: #aaa; background: #fff">faint</p><script>console.error("loud"); nothing()</script>'
    path.write_text(path.read_text().replace("</main>", faint + "</main>"))
    page.open(path)
    assert page.run(LEAST_CONTRAST)[0] < 4.5
    assert any("loud" in line for line in page.said) and any("nothing is not defined" in line for line in page.said)


def test_one_file_shows_the_page_that_a_link_leads_to(sample_report: Report, tmp_path: Path, page: Page) -> None:
    path = tmp_path / "all.html"
    site.write(sample_report, path)
    name = sample_report["claims"][1]["id"]
    shown = "[...document.querySelectorAll('.page')].filter((one) => one.checkVisibility()).map((one) => one.id)"
    page.open(path)
    assert page.run(shown) == ["page-index"]
    page.run(f"document.querySelector('a[href=\"#page-claims-{name}\"]').click()")
    assert page.run(shown) == [f"page-claims-{name}"]
    page.run(f"location.hash = '#claims-{name}--rests'")
    assert page.run(shown) == [f"page-claims-{name}"] and page.said == []


def test_a_hostile_report_runs_nothing(sample_report: Report, tmp_path: Path, page: Page) -> None:
    report = hostile(sample_report)
    site.write(report, tmp_path / "site", before=sample_report)
    for path in pages_of(tmp_path / "site"):
        page.open(path)
        assert page.run("document.scripts.length") == 1
    assert page.said == []


def test_formulas_are_laid_out_as_mathematics(folder: Path, page: Page) -> None:
    page.open(folder / "claims" / "bao2024.appA.eq15.html")
    sizes = page.run(
        "[...document.querySelectorAll('.sides:not(.lines) math')].map(m => m.getBoundingClientRect().width)"
    )
    assert len(sizes) == 2 and all(width > 20 for width in sizes)
    assert page.run("[...document.fonts].map(font => font.status)") == ["loaded"]


def test_links_of_the_first_page_lead_to_the_claims(folder: Path, page: Page) -> None:
    page.open(folder / "index.html")
    page.run("document.querySelector('.strips a').focus()")
    page.loaded = False
    page.press("Enter")
    page.browser.until(lambda: page.loaded)
    assert page.run("document.querySelector('h1').textContent").split()[0] == "verified"


def test_the_filter_keeps_its_state_in_the_address(folder: Path, page: Page) -> None:
    shown = "[...document.querySelectorAll('.row')].filter(r => r.checkVisibility()).map(r => r.dataset.verdict)"
    page.open(folder / "index.html")
    assert len(page.run(shown)) == 5
    page.run("document.querySelector('[value=refuted]').click()")
    assert page.run(shown) == ["refuted"]
    assert page.run("location.hash") == "#verdict=refuted"
    overview = "document.querySelector('.overview').checkVisibility()"
    assert not page.run(overview)
    assert page.run("document.querySelector('[role=status]').textContent") == "1 of 5 claims"
    page.open(folder / "run.html")
    page.open(folder / "index.html", "#verdict=refuted+error&q=appA")
    assert page.run(shown) == ["refuted"]
    page.run("document.querySelector('[name=q]').value = 'no-such-word'")
    page.run("document.querySelector('.filter').dispatchEvent(new Event('input'))")
    assert page.run("document.querySelector('[role=status]').textContent").startswith("No claim")
    page.run("document.querySelector('[type=reset]').click()")
    assert len(page.run(f"new Promise(done => setTimeout(() => done({shown}), 50))")) == 5
    assert page.run(overview)
    page.open(folder / "run.html")
    page.open(folder / "index.html", "#claims")
    assert len(page.run(shown)) == 5


def test_the_theme_is_chosen_and_kept(folder: Path, page: Page) -> None:
    page.open(folder / "index.html")
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.run(ground)
    for _ in range(2):
        page.run("document.querySelector('.theme').click()")
    dark = page.run(ground)
    assert dark != light
    page.open(folder / "graph.html")
    assert page.run(ground) == dark and page.run("document.querySelector('.theme span').textContent") == "dark"
    page.run("document.querySelector('.theme').click()")
    assert page.run(ground) == light


def test_keys_reach_everything_and_focus_is_seen(folder: Path, page: Page) -> None:
    page.open(folder / "claims" / "bao2024.appA.eq15.html")
    seen = []
    for _ in range(60):
        page.press("Tab")
        here = page.run(
            "(() => { const e = document.activeElement, s = getComputedStyle(e); return [e.tagName, e.className + '',"
            " s.outlineStyle, parseFloat(s.outlineWidth)]; })()"
        )
        if here[0] == "BODY":
            break
        seen.append(here)
    assert seen[0][1] == "skip"
    assert {"theme", "copy"} <= {entry[1] for entry in seen}
    assert all(style != "none" and width >= 2 for _, _, style, width in seen), seen


def test_everything_has_a_name_for_a_screen_reader(folder: Path, page: Page) -> None:
    named = ("link", "button", "img", "image", "textbox", "combobox", "checkbox", "region")
    page.call("Accessibility.enable")
    for path in pages_of(folder):
        page.open(path)
        nodes = page.call("Accessibility.getFullAXTree")["nodes"]
        roles = [node.get("role", {}).get("value") for node in nodes if not node.get("ignored")]
        assert {"main", "navigation", "banner", "contentinfo"} <= set(roles), path.name
        for node in nodes:
            role = node.get("role", {}).get("value")
            if not node.get("ignored") and role in named:
                assert node.get("name", {}).get("value"), (path.name, json.dumps(node)[:300])
    page.call("Accessibility.disable")


def test_the_command_is_copied(folder: Path, page: Page, sample_report: Report) -> None:
    page.open(folder / "claims" / "bao2024.appA.eq15.html")
    page.run(
        "window.got = null;"
        " Object.defineProperty(navigator, 'clipboard', {value: {writeText: async t => { got = t; }}})"
    )
    page.run("document.querySelector('.copy').click()")
    assert page.run("new Promise(done => setTimeout(() => done(got), 50))") == sample_report["claims"][1]["replay"]


def test_the_graph_shows_what_rests_on_a_claim(folder: Path, page: Page) -> None:
    page.open(folder / "graph.html")
    page.run("document.querySelector('a[data-id=\"bao2024.appA.eq11\"]').focus()")
    traced = page.run("[...document.querySelectorAll('a.traced')].map(a => a.dataset.id)")
    assert sorted(traced) == ["bao2024.appA.eq11", "bao2024.appA.eq15"]


def test_in_print_all_is_open_and_light(folder: Path, page: Page) -> None:
    page.view(*SIZES[0], dark=True)
    page.open(folder / "claims" / "bao2024.appA.eq15.html")
    page.call("Emulation.setEmulatedMedia", media="print")
    page.run("window.dispatchEvent(new Event('beforeprint'))")
    assert page.run("document.querySelectorAll('details:not([open])').length") == 0
    assert page.run("getComputedStyle(document.querySelector('.copy')).display") == "none"
    assert page.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.call("Page.printToPDF")["data"]
