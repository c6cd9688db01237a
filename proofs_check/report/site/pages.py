"""The pages of the site: templates filled from the report, written with their assets into a folder."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from proofs_check.claims.report import Report
from proofs_check.inputs.data import json_of
from proofs_check.inputs.expect import VERDICTS
from proofs_check.report.outputs import atomic_write, plain
from proofs_check.report.publishing import MODELS, model_pages, publish
from proofs_check.report.site import graph, holding, mathml, overview, proof, trust, view
from proofs_check.report.site.bundle import bundled
from proofs_check.report.site.changes import diff
from proofs_check.report.site.comments import comments
from proofs_check.report.site.markdown import markdown
from proofs_check.report.telling import took
from theorems.claims.outside import regular_bytes

ASSETS = ("style.css", "app.js", "OFL.txt")
FONT = "math.woff2"
PICTURES = (".svg", ".png")


def _finalised(value: Any) -> Any:
    """What a template prints: no ``None``, and no character that a page may not hold."""
    if value is None:
        return ""
    return mathml.clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _tiny(value: float) -> Markup:
    """A number with few digits, a small one as a power of 10."""
    digits, _, power = f"{value:.3g}".partition("e")
    front = "" if digits == "1" else f"{digits} · "
    sign = "−" if power.startswith("-") else ""
    return Markup("{}10<sup>{}{}</sup>").format(front, sign, abs(int(power))) if power else Markup(digits)


def environment() -> Environment:
    """The templates; everything that is no Markup is escaped."""
    found = Environment(
        loader=PackageLoader("proofs_check.report.site", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalised,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.globals.update(verdicts=VERDICTS, meaning=view.MEANING)
    found.filters["tiny"] = _tiny
    found.filters["condition"] = holding.condition
    return found


def pictures(folder: Path | None) -> list[dict[str, Any]]:
    """The figures of a folder: of each name the smaller of its PNG and its SVG, and what its data says of it."""
    if folder is None or not folder.is_dir():
        return []
    files: dict[str, list[Path]] = {}
    for path in sorted(folder.iterdir()):
        if path.suffix in PICTURES and path.is_file() and not path.name.startswith("."):
            files.setdefault(path.stem, []).append(path)
    found: list[dict[str, Any]] = []
    for stem, paths in files.items():
        chosen = min(paths, key=lambda path: path.stat().st_size)
        data = _data(folder / f"{stem}.json")
        found.append(
            {
                "name": stem,
                "title": stem.replace("_", " "),
                "path": chosen,
                "file": f"figures/figure-{len(found) + 1}{chosen.suffix}",
                "where": data.get("where") if isinstance(data.get("where"), str) else "",
                "claim": data.get("claim") if isinstance(data.get("claim"), str) else "",
                "caption": _text(folder / f"{stem}.txt"),
            }
        )
    return found


def _text(path: Path) -> str:
    try:
        return regular_bytes(path).decode()
    except (OSError, ValueError):
        return ""


def _data(path: Path) -> dict[str, Any]:
    try:
        found = json_of(_text(path))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def files(
    report: Report,
    *,
    selftest: Mapping[str, Any] | None = None,
    figures: Path | None = None,
    before: Report | None = None,
    models: Sequence[tuple[str, str]] = (),
) -> Iterator[tuple[str, bytes]]:
    """The files of the site by their path in it, the same bytes for the same arguments; ``models`` are pages there."""
    templates = environment()
    found = view.entries(report)
    table = {entry.id: entry for entry in found}
    run = report["run"]
    places = [entry.id for entry in found]
    # in the order of the papers
    images = sorted(
        pictures(figures), key=lambda one: places.index(one["claim"]) if one["claim"] in places else len(places)
    )
    parts = overview.papers(found)
    changed = diff(before, report) if before is not None else None
    letters = {
        paper["id"]: f"comments-{number}.tex" for number, paper in enumerate(parts, 1) if paper["counts"].get("refuted")
    }
    shared: dict[str, Any] = {
        "run": run,
        "nav": [
            ("index.html", "Verdicts"),
            ("graph.html", "Dependencies"),
            *([("figures.html", "Figures")] if images else []),
            ("rules.html", "Rules"),
            ("run.html", "Run"),
            *([("changes.html", "Changes")] if changed is not None else []),
            *models,
        ],
        "letters": letters,
        "seconds": took(run, report["claims"]),
    }

    def page(path: str, template: str, **values: Any) -> tuple[str, bytes]:
        root = "../" * path.count("/")
        text = templates.get_template(template).render(**shared, **values, root=root, page=path)
        return path, text.encode("utf-8", "replace")

    yield page(
        "index.html",
        "index.html",
        headline=overview.headline(found, run["partial"]),
        remark=overview.remark(found),
        papers=parts,
        kinds=sorted({entry.claim["kind"] for entry in found if entry.claim["kind"]}),
        broken=[entry for entry in found if entry.verdict in ("conflict", "error")],
    )
    for number, entry in enumerate(found):
        yield page(
            entry.href,
            "claim.html",
            entry=entry,
            claim=entry.claim,
            table=table,
            earlier=found[number - 1] if number else None,
            later=found[number + 1] if number + 1 < len(found) else None,
            section_title=view.section_title(entry.section),
            images=[image for image in images if image["claim"] == entry.id],
            **view.detail(entry, table),
        )
    drawn = [_drawn(paper, number) for number, paper in enumerate(parts, 1)]
    resting = [entry for entry in found if entry.corrects is None and entry.claim["rests_on_refuted"]]
    yield page("graph.html", "graph.html", papers=parts, drawn=drawn, resting=resting, table=table)
    yield page("rules.html", "rules.html", rules=proof.rules(found))
    yield page(
        "run.html",
        "run.html",
        ledger=trust.ledger(run),
        selftest=trust.selftest(selftest),
        table=table,
        errors=trust.ERRORS,
    )
    if images:
        yield page("figures.html", "figures.html", images=images, table=table)
        for image in images:
            yield image["file"], regular_bytes(image["path"])
    if changed is not None:
        yield page("changes.html", "changes.html", diff=changed, table=table)
    yield (
        "report.json",
        (json.dumps(plain(dict(report)), ensure_ascii=False) + "\n").encode("utf-8", "replace"),
    )
    yield "report.md", markdown(report).encode("utf-8", "replace")
    for paper, name in letters.items():
        yield name, comments(report, paper).encode("utf-8", "replace")
    yield from assets()


def assets() -> Iterator[tuple[str, bytes]]:
    """What every page needs; the font of formulas within the style, as browsers load none from beside a local page."""
    folder = resources.files("proofs_check.report.site").joinpath("assets")
    font = f"data:font/woff2;base64,{base64.b64encode(folder.joinpath(FONT).read_bytes()).decode()}"
    for name in ASSETS:
        content = folder.joinpath(name).read_bytes()
        yield f"assets/{name}", content.replace(f"url({FONT})".encode(), f"url({font})".encode())


def _drawn(paper: Mapping[str, Any], number: int) -> Markup:
    nodes = [
        graph.Node(
            entry.id,
            entry.short,
            entry.href,
            entry.verdict,
            tuple(entry.claim["depends_on"]),
            bool(entry.claim["rests_on_refuted"]),
        )
        for section in paper["sections"]
        for entry in section["entries"]
    ]
    return graph.drawn(nodes, f"graph-{number}", f"What rests on what in {paper['title']}")


def write(
    report: Report,
    folder: Path,
    *,
    selftest: Mapping[str, Any] | None = None,
    figures: Path | None = None,
    before: Report | None = None,
) -> None:
    """Write the site of a report into a folder, which is made where it is missing, or as one file, FILE.html.

    ``selftest`` is what ``twofold selftest --json`` wrote, ``figures`` the folder of ``twofold figures --out`` and
    ``before`` an earlier report to compare with. Files that an earlier call left and this one does not write are
    removed; other files in the folder stay. Raises OSError where a file cannot be written, or is another's.
    """
    # a page that cannot be made leaves no others beside it
    shown = {"selftest": selftest, "figures": figures, "before": before}
    if folder.suffix == ".html":
        atomic_write(folder, bundled(dict(files(report, **shown))))  # type: ignore[arg-type]
        return
    made = dict(files(report, **shown, models=model_pages(folder)))  # type: ignore[arg-type]
    publish(made, folder, MODELS)
