"""The site as one file that can be mailed: every page a part of it, shown when a link leads to it."""

from __future__ import annotations

import base64
import html
import mimetypes
import posixpath
import re
from collections.abc import Mapping
from urllib.parse import unquote

_MAIN = re.compile(r'<main id="main" tabindex="-1">(.*)</main>', re.DOTALL)
_NAMING = re.compile(r' (id|for|aria-labelledby|data-copy)="([^"]*)"')
_LEADING = re.compile(r' (href|src)="([^"]*)"')
_DRAWN = re.compile(r"url\(#([^)]*)\)")
#: The page that is shown first.
FIRST = "index.html"
#: A page is shown where a link leads to it, or into it; the first one where none does.
_STYLE = """
.page { display: none; }
.page:target, .page:has(:target) { display: block; }
body:not(:has(.page:target, .page :target)) .page:first-of-type { display: block; }
@media print { .page { display: block; } }
"""


def bundled(files: Mapping[str, bytes]) -> bytes:
    """One page that holds all the pages of a site (``pages.files``), its style, script and pictures."""
    texts = {name: content.decode() for name, content in files.items() if name.endswith(".html")}
    order = [FIRST, *(name for name in texts if name != FIRST)]
    parts = []
    for name in order:
        found = _MAIN.search(texts[name])
        assert found is not None, name
        inside = _rewritten(found[1], name, files, order)
        parts.append(f'<div class="page" id="{_place(name)}">{inside}</div>')
    # a function, as what is put in is no pattern
    shell = _MAIN.sub(lambda _: f'<main id="main" tabindex="-1">{"".join(parts)}</main>', texts[FIRST])
    before, main, after = re.split(r"(<main .*</main>)", shell, maxsplit=1, flags=re.DOTALL)
    style, script = (files[f"assets/{name}"].decode() for name in ("style.css", "app.js"))
    before = before.replace('<link rel="stylesheet" href="assets/style.css">', f"<style>{style}{_STYLE}</style>")
    before = before.replace('<script src="assets/app.js"></script>', f"<script>{script}</script>")
    return (_linked(before, FIRST, files, order) + main + _linked(after, FIRST, files, order)).encode()


def _place(page: str, part: str = "") -> str:
    """The id of a page, or of a part of it, in the one page."""
    stem = page.removesuffix(".html").replace("/", "-")
    return f"{stem}--{part}" if part else f"page-{stem}"


def _rewritten(text: str, page: str, files: Mapping[str, bytes], pages: list[str]) -> str:
    """The inside of a page with ids of its own, and links that lead within the one page."""

    def named(found: re.Match[str]) -> str:
        return f' {found[1]}="{" ".join(_place(page, one) for one in found[2].split())}"'

    text = _DRAWN.sub(lambda found: f"url(#{_place(page, found[1])})", _NAMING.sub(named, text))
    return _linked(text, page, files, pages)


def _linked(text: str, page: str, files: Mapping[str, bytes], pages: list[str]) -> str:
    """Links to pages lead to their parts, pictures are held inside, and links to other files are none."""

    def led(found: re.Match[str]) -> str:
        path, _, part = html.unescape(found[2]).partition("#")
        target = posixpath.normpath(posixpath.join(posixpath.dirname(page), unquote(path))) if path else page
        # the marks of the verdicts and the content itself are there once
        if path.startswith("data:") or part == "main" or part.startswith("m-"):
            return found[0]
        if target in pages:
            return f' {found[1]}="#{_place(target, part)}"'
        if target in files and found[1] == "src":
            kind = mimetypes.guess_type(target)[0] or "application/octet-stream"
            return f' src="data:{kind};base64,{base64.b64encode(files[target]).decode()}"'
        return ""

    return _LEADING.sub(led, text)
