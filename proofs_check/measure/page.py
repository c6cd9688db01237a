"""The page of a trained model: what ``twofold measure`` found, assumptions first, with its pictures."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from proofs_check.measure import telling
from proofs_check.report.outputs import plain
from proofs_check.report.publishing import model_pages, publish
from proofs_check.report.site.pages import assets, environment

#: The pictures of each part of the page, and what is said below them.
PARTS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "assumed": (("model_assumptions", "Estimates for every layer, with intervals over groups of windows."),),
    "predicted": (
        ("model_spectra", "What localises attention in bao2024: the eigenvalues of W = W_QK Σ, and ξη."),
        ("model_cosines", "How alike tokens are: measured, and the ratio of expectations that stands for it."),
        ("model_components", "How alike attention makes tokens: at each part of a step, by the heads' patterns."),
        ("model_signs", "The sign map: where averaging is derived to make outputs more or less alike."),
        ("model_heads", "Every head: predictions in the left column of the first rows, measurements beside them."),
        (
            "model_patterns",
            "The most extreme heads on the text's first tokens; below each, ρ beside what the last query does.",
        ),
    ),
    "judged": (("model_correlations", "Predicted (across) and measured (up), a point a head."),),
}


def slug(name: str) -> str:
    """A model's name as that of a file."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name.removesuffix(".gguf")).strip(".-") or "model"


def files(found: Mapping[str, Any], pictures: Mapping[str, bytes], folder: Path) -> dict[str, bytes]:
    """The files of the page by their path in the site's folder; beside pages that are there it links to them."""
    name = slug(found["model"]["name"])
    held = dict(found)
    index = [("index.html", "Verdicts")] if (folder / "index.html").is_file() else []
    here = (f"models/{name}.html", name)
    shown = {
        part: [
            (picture, f"{name}/{picture}", words, pictures.get(f"{picture}.txt", b"").decode())
            for picture, words in images
            if f"{picture}.png" in pictures
        ]
        for part, images in PARTS.items()
    }
    page = (
        environment()
        .get_template("model.html")
        .render(
            found=held,
            data=f"{name}.json",
            summary=telling.summary(held),
            sentences=telling.sentences(held),
            comparisons=telling.grouped(held["correlations"]),
            columns=telling.COLUMNS,
            short=telling.short,
            correlation=telling.correlation,
            images=shown,
            nav=[*index, *sorted({*model_pages(folder), here})],
            root="../",
            page=here[0],
        )
    )
    made = {here[0]: page.encode("utf-8", "replace"), **dict(assets())}
    made[f"models/{name}.json"] = (json.dumps(plain(held), ensure_ascii=False) + "\n").encode("utf-8", "replace")
    return made | {f"models/{name}/{file}": content for file, content in pictures.items()}


def write(found: Mapping[str, Any], pictures: Mapping[str, bytes], folder: Path) -> Path:
    """Write a model's page into a site's folder, which is made where it is missing; returns the page's path."""
    made = files(found, pictures, folder)
    publish(made, folder, "")
    return folder / f"models/{slug(found['model']['name'])}.html"
