"""Which hostile calls are made, and how often: those of ``calls``, and what is done to good runs, pages and shells."""

from __future__ import annotations

import contextlib
import functools
import io
import json
import os
import re
import shlex
import tempfile
from collections.abc import Callable, Mapping
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from figures import FIGURES
from proofs_check.commands import cli
from tests.documents import WRITTEN, commands_of, fences, read
from tests.proofs_check import calls
from tests.proofs_check.calls import Call, Folder, Pipe, desk
from tests.proofs_check.pieces import (
    ANY,
    CLAIMS,
    VALUED,
    Draw,
    array,
    formula,
    formulas,
    number,
    raw,
    raw_array,
    spoiled,
    value,
    word,
)

CACHE = "TWOFOLD_CACHE"
#: What else may stand where a file of a run did.
ELSEWHERE = (Pipe, Folder, "dangling", "loop", "/dev/zero", "/dev/full", "old")
#: Figures that are drawn in no time.
CHEAP = ("softmax_pieces", "cheaper_map")


@functools.cache
def products() -> dict[str, bytes]:
    """The files that good commands leave: reports, a cache, pages, a lock and figures."""
    before, name = os.getcwd(), os.environ.get(CACHE)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ[CACHE] = "cache"
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                for words in (
                    ["verify", CLAIMS[1], CLAIMS[2], "--effort", "quick", "--json", "run.json", "--html", "pages"],
                    ["verify", CLAIMS[0], "--effort", "quick", "--json", "one.json"],
                    ["figures", CHEAP[0], "--out", "drawn"],
                ):
                    assert cli.main(words) == 0, words
        finally:
            os.chdir(before)
            os.environ.pop(CACHE)
            if name is not None:
                os.environ[CACHE] = name
        found = {path.relative_to(folder).as_posix(): path for path in Path(folder).rglob("*") if path.is_file()}
        return {name: path.read_bytes() for name, path in sorted(found.items())}


def _damaged(draw: Draw, content: bytes) -> Any:
    """What stands where a file stood."""
    if draw.random() < 0.15:
        return draw.choice(ELSEWHERE)
    try:
        whole = json.loads(content)
    except ValueError:
        return _noise(draw, content)
    return json.dumps(spoiled(draw, whole)).encode() if draw.random() < 0.8 else raw(draw, content)


def _noise(draw: Draw, content: bytes) -> bytes:
    """Bytes with some of them others, cut, or led by something else."""
    made = bytearray(content)
    for _ in range(draw.choice((1, 3, 30))):
        made[draw.randrange(len(made))] = draw.randrange(256)
    at = draw.randrange(len(content))
    return draw.choice((bytes(made), bytes(made), content[:at], b"\0" + content, content + content[:at]))


def runs(draw: Draw, report: Mapping[str, Any]) -> Call:
    """The files of a good run, one to three of them damaged, and a command that goes on from there."""
    files: dict[str, Any] = {**desk(report), **{k: v for k, v in products().items() if not k.startswith("cache/")}}
    names = [name for name in products() if not name.startswith("cache/")]
    heads = [name for name in names if name.endswith((".json", "files.txt"))]
    for name in draw.sample(heads if draw.random() < 0.7 else names, draw.choice((1, 1, 2, 3))):
        files[name] = _damaged(draw, products()[name])
    good = draw.choice(
        (
            ["report", "run.json", "--html", "pages", "--figures", "drawn", "--markdown", "new.md"],
            ["report", "run.json", "--html", "whole.html", "--junit", "new.xml"],
            ["report", "one.json", "--before", "run.json", "--html", "pages", "--comments", "bao2024"],
            ["diff", "run.json", "one.json"],
            ["diff", "one.json", "run.json"],
            ["lock", "--report", "run.json", "--figures", "drawn", "--out", "new.toml"],
            ["verify", CLAIMS[0], "--effort", "quick", "--expect", "one.json", "--html", "pages"],
            ["figures", CHEAP[0], "--out", "drawn", "--expect", "lock.toml"],
        )
    )
    return Call("runs", good, files)


def _sealed(draw: Draw, content: bytes) -> bytes:
    """An entry of the cache that somebody changed and sealed again."""
    text = json.dumps(spoiled(draw, json.loads(content.partition(b"\n")[2])))
    return f"{sha256(text.encode()).hexdigest()}\n{text}\n".encode()


def caches(draw: Draw, report: Mapping[str, Any]) -> Call:
    """Kept verdicts that are damaged: they are judged again, or taken, and nothing else comes of it."""
    claim = CLAIMS[2] if draw.random() < 0.8 else draw.choice(CLAIMS)
    files: dict[str, Any] = {**desk(report), **{k: v for k, v in products().items() if k.startswith("cache/")}}
    due: int | None = 0
    for name in [name for name in files if claim in name]:
        if draw.random() < 0.5:
            files[name], due = _sealed(draw, files[name]), None
        else:
            content = files[name]
            files[name] = draw.choice(ELSEWHERE) if draw.random() < 0.3 else _noise(draw, content)
    found = ["verify", claim, "--effort", "quick", *draw.choice(([], ["--why"], ["--jobs", "2"], ["--quiet"]))]
    found += draw.choice(([], ["--json", "new.json"], ["--html", "pages"], ["--junit", "new.xml"], ["--dry-run"]))
    return Call("caches", found, files, {CACHE: "cache"}, due=due)


# ---- what the documents show, changed


def _commands() -> list[list[str]]:
    """The commands of the documents that are done at once, and the statements of the table of examples."""
    from tests.test_statements import EXAMPLES

    found = []
    for name in WRITTEN:
        for fence in fences(read(name)):
            for line, _ in commands_of(fence.text) if fence.language == "console" else ():
                words = shlex.split(line.partition(" > ")[0])
                if words[:1] == ["twofold"] and words[1] in ("verify", "check", "eval", "list", "show", "new-lemma"):
                    found.append(words[1:])
    for example in EXAMPLES:
        asked = example.request
        given = {"--for": asked.hypotheses, "--law": asked.law, "--as": asked.limit}
        found.append(["check", asked.text, *(word for pair in given.items() if pair[1] for word in pair)])
    return found


_PIECE = re.compile(r"\w+|\*\*|[<>=!]=|->|[^\w\s]|\s+")


@functools.cache
def documented() -> tuple[list[list[str]], list[str]]:
    """The commands, and the pieces that their statements are made of."""
    lines = _commands()
    return lines, sorted({piece for words in lines for piece in _PIECE.findall(" ".join(words))})


def _reworded(draw: Draw, text: str, other: str) -> str:
    """A text with a piece dropped, doubled, moved or exchanged, or grown together with another text."""
    pieces = _PIECE.findall(text) or [""]
    for _ in range(draw.choice((1, 1, 2, 4))):
        at, to = draw.randrange(len(pieces)), draw.randrange(len(pieces))
        kind = draw.randrange(8)
        if kind == 0 and len(pieces) > 1:
            del pieces[at]
        elif kind == 1:
            pieces[at:at] = pieces[at : at + draw.choice((1, 3, 9))]
        elif kind == 2:
            pieces[at], pieces[to] = pieces[to], pieces[at]
        elif kind == 3:
            pieces[at] = draw.choice((number(draw), draw.choice(ANY), formula(draw, 2)))
        elif kind == 4:
            pieces[at:at] = (_PIECE.findall(other) or [""])[draw.randrange(3) :][: draw.choice((2, 6, 20))]
        else:
            pieces[at] = draw.choice(documented()[1])
    return "".join(pieces)


def documents(draw: Draw, report: Mapping[str, Any]) -> Call:
    """What the documents show, with some of its pieces changed."""
    lines, _ = documented()
    found, other = list(draw.choice(lines)), draw.choice(draw.choice(lines))
    for at in range(1, len(found)):
        if not found[at].startswith("--") and draw.random() < (0.8 if at == 1 else 0.25):
            found[at] = _reworded(draw, found[at], other)
    if draw.random() < 0.2:
        del found[draw.randrange(1, len(found))]
    while "--effort" in found:
        at = found.index("--effort")
        del found[at : at + 2]
    if found[0] == "verify":
        # a lost or a short name is a whole paper's
        found[1:2] = [draw.choice(CLAIMS)]
    found += ["--effort", "quick"] if found[0] in ("verify", "check", "eval") else []
    return Call("documents", found, desk(report))


# ---- TOML and arrays of every kind

_TOML: tuple[str, ...] = (
    *("1979-05-27T07:32:00Z", "1979-05-27", "07:32:00.999999", "inf", "-inf", "nan", "+nan", "0xFF", "0o17", "0b1"),
    *("1_000", "1e400", "1e-400", "-0.0", "true", "'''\n'''", '"""\\\n  """', '"\\u001b[31m"', '"\\ud800"', "'C:\\x'"),
    *("[[]]", "[1, 'a', {}]", "{a = {b = {c = 1}}}", "{a.b = 1}", '"\\x41"', "99999999999999999999", "{}", "[]", "''"),
)
_KEYS = ("verdicts", "exact", "corrections", "clauses", "made", "versions", "figures", "figures.softmax_pieces", "x")


def tables(draw: Draw, report: Mapping[str, Any]) -> Call:
    """TOML of every kind where a lock is read."""

    def key() -> str:
        plain = draw.choice((*CLAIMS, *_KEYS, "numbers", "size", word(draw)))
        return draw.choice((json.dumps(plain), plain, f"'{plain}'", f"{plain}.{plain}"))

    def given() -> str:
        return draw.choice(
            (draw.choice(_TOML), json.dumps(formulas(draw)), json.dumps(value(draw)), '"verified"', f"'{word(draw)}'")
        )

    lines = []
    for _ in range(draw.randrange(1, 5)):
        head = draw.choice(_KEYS)
        lines.append(draw.choice((f"[{head}]", f"[{head}]", f"[[{head}]]", f"[ {key()} ]", f"# {word(draw)}")))
        lines += [f"{key()} = {given()}" for _ in range(draw.randrange(4))]
    text = draw.choice(("\n", "\n", "\r\n", "\r", " ")).join(lines)
    made = text.encode(draw.choice(("utf-8", "utf-8", "utf-8", "utf-16", "utf-8-sig")), "backslashreplace")
    good = draw.choice(
        (
            ["verify", CLAIMS[2], "--effort", "quick", "--expect", "bad.toml", "--json", "new.json"],
            ["lock", "--report", "report.json", "--out", "bad.toml"],
            ["figures", CHEAP[0], "--expect", "bad.toml", "--out", "drawn"],
        )
    )
    return Call("tables", good, {**desk(report), "bad.toml": made})


def _layout(draw: Draw, made: Any) -> bytes:
    """An array in a file, with any type of its entries, order and head."""
    with np.errstate(all="ignore"):
        kind = draw.choice(("<f8", ">f8", "<f4", "<f2", "<i8", ">i4", "|u1", "|b1", "<c16", "<f16", "<U4", "|S8", "|O"))
        made = made.astype(draw.choice((kind, made.dtype, made.dtype)))
    if draw.random() < 0.1:
        made = draw.choice((np.zeros(made.shape, [("a", "<f8"), ("b", "|O")]), np.zeros(made.shape, "<M8[s]")))
    if draw.random() < 0.3:
        made = draw.choice((np.asfortranarray(made), made[::-1], made[:, ::2], made[..., :0]))
    out = BytesIO()
    if draw.random() < 0.05:
        np.savez(out, a=np.asarray(made))
        return out.getvalue()
    head = draw.choice(((1, 0), (2, 0), (3, 0), None))
    np.lib.format.write_array(out, np.asarray(made), version=head, allow_pickle=True)
    text = out.getvalue()
    if draw.random() < 0.2:
        sizes = draw.choice((b"(2, 2)", b"(2,)", b"()", b"(-1, 2)", b"(0, 2)", b"(99999999, 99999999)", b"(True, 2)"))
        text = re.sub(rb"\([^)]*\)", sizes, text, count=1)
    return text if draw.random() < 0.85 else raw_array(draw, text) + draw.randbytes(9)


def arrays(draw: Draw, report: Mapping[str, Any]) -> Call:
    """``eval`` at arrays of any layout, type and size of entries, and covariances that are nearly ones."""
    d = draw.choice((1, 2, 2, 3, 5, 17, 64))
    at = np.random.default_rng(draw.randrange(2**32))
    half = at.standard_normal((d, d))
    turn = np.linalg.qr(half)[0]
    values = 10.0 ** at.uniform(-draw.choice((1, 8, 30, 160)), draw.choice((1, 8, 30, 160)), d)
    values[0] *= draw.choice((1, 1, 0, -1e-16, -1))
    nearly: Any = (turn * values) @ turn.T
    nearly = draw.choice((nearly, (nearly + nearly.T) / 2, np.diag(values), np.diag(values)))
    shapes: dict[str, Any] = {"w": half, "sigma": nearly, "m": half[0], "a": half[0], "b": half[-1]}
    found = ["eval", draw.choice(VALUED), "--effort", "quick"]
    files = desk(report)
    for name in {"w", *draw.sample(list(shapes), draw.choice((1, 1, 2, 4)))}:
        files[f"{name}.npy"] = _layout(draw, shapes[name][None] if shapes[name].ndim == 1 else shapes[name])
        if draw.random() < 0.8:
            files[f"{name}.npy"] = array(shapes[name])
        found += [f"--{name}", f"{name}.npy"]
    for name, pool in (("i", "1234"), ("j", "3456"), ("T", "3489"), ("lam", ("1", "1/7", "1e-9", "1e9"))):
        if draw.random() < 0.5:
            found += ["--set", f"{name}={draw.choice(pool)}"]
    return Call("arrays", found, files)


def drawings(draw: Draw, report: Mapping[str, Any]) -> Call:
    """Figures and claims' evidence, in places and with seeds of any kind."""
    found = ["figures", *draw.sample((*CHEAP, *CLAIMS, word(draw), *FIGURES)[:6], draw.choice((1, 1, 2)))]
    found += ["--out", draw.choice(("drawn", "folder", "old", "pipe", "loop", "dangling", "new/deep", word(draw)))]
    found += draw.choice(([], ["--seed", number(draw)], ["--seed", word(draw)], ["--expect", "lock.toml"]))
    files = desk(report)
    if draw.random() < 0.3:
        files[f"drawn/{CHEAP[0]}.{draw.choice(('png', 'svg', 'json'))}"] = draw.choice((*ELSEWHERE[:4], b"mine"))
    return Call("drawings", found, files)


#: Commands that are done at once, whatever the shell.
QUIET = (["list"], ["show", CLAIMS[1]], ["doctor"], ["completion", "bash"], ["--version"], ["--help"], ["verify", "-h"])


def shells(draw: Draw, report: Mapping[str, Any]) -> Call:
    """A good command; as a process it runs under variables, streams and limits that are odd."""
    files = {**desk(report), **products()}
    good = draw.choice(
        (
            *QUIET,
            ["diff", "run.json", "one.json"],
            ["report", "run.json", "--html", "new", "--markdown", "new.md"],
            ["verify", CLAIMS[2], "--effort", "quick", "--json", "new.json", "--html", "new"],
            ["verify", CLAIMS[2], "--effort", "quick", "--jobs", "2"],
            ["check", "E[x[i].T*W*x[i]] = i*tr(W*Sigma)", "--effort", "quick", "--json", "new.json"],
            ["figures", CHEAP[0], "--out", "new"],
            ["lock", "--report", "run.json", "--out", "new.toml"],
            ["new-lemma", "mine.sec1.thing"],
            ["eval", CLAIMS[1], "--set", "i=2", "--effort", "quick"],
        )
    )
    return Call("shells", list(good), files)


#: The kinds and how many of a hundred calls are of each.
KINDS: dict[Callable[[Draw, Mapping[str, Any]], Call], int] = {
    calls.words: 12,
    calls.reports: 6,
    calls.locks: 4,
    calls.formulae: 4,
    calls.statements: 9,
    calls.values: 5,
    calls.cases: 6,
    calls.places: 6,
    calls.models: 4,
    calls.lemmas: 4,
    runs: 8,
    caches: 5,
    documents: 13,
    tables: 4,
    arrays: 5,
    drawings: 2,
    shells: 3,
}
VARIABLES: tuple[dict[str, str], ...] = (
    *({}, {}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"PYTHONIOENCODING": "ascii"}),
    *({"TWOFOLD_CACHE": "pipe"}, {"TWOFOLD_CACHE": "loop"}, {"TWOFOLD_CACHE": "old"}, {"TWOFOLD_CACHE": "x" * 10_000}),
    *({"TWOFOLD_CACHE": "a\x1b[31m"}, {"TWOFOLD_CACHE": "/dev/null/x"}, {"HOME": "/nowhere", "TWOFOLD_CACHE": "off"}),
    *({"COLUMNS": "0"}, {"COLUMNS": "-9", "TERM": "\x1b[31m"}, {"COLUMNS": "9" * 30, "LINES": "0"}),
    *({"TERM": "xterm", "FORCE_COLOR": "1"}, {"NO_COLOR": "1", "TERM": ""}, {"PYTHONOPTIMIZE": "2"}),
    *({"PYTHONHASHSEED": "1", "PYTHONUNBUFFERED": "1"}, {"PYTHONINTMAXSTRDIGITS": "640"}),
    *({"TMPDIR": "/nowhere"}, {"MPLCONFIGDIR": "/dev/null/x", "MPLBACKEND": "no such"}, {"LANG": "no such", "TZ": "?"}),
    *({"OMP_NUM_THREADS": "-1"}, {"OMP_NUM_THREADS": "x", "MKL_NUM_THREADS": "0"}, {"XDG_CACHE_HOME": "old"}),
    *({"CUDA_VISIBLE_DEVICES": "?"}, {"SOURCE_DATE_EPOCH": "x"}, {"PYTHONSAFEPATH": "1"}, {"PYTHONDEVMODE": "1"}),
    *({"NUMBA_NUM_THREADS": "0"}, {"NUMBA_DISABLE_JIT": "1"}, {"NUMBA_CACHE_DIR": "old"}, {"HYPOTHESIS_PROFILE": "x"}),
)
#: How the streams of a process are: as they are, closed, full, of a reader that leaves.
STREAMS = (
    *("", "", "", "", "<&-", ">&-", "2>&-", ">&- 2>&-", ">/dev/full", "2>/dev/full", "<old", "</dev/zero"),
    *("| head -c 1", "2>&1 | head -c 9", "| true", "2>&1 >&- | true"),
)
#: What the shell does first.
BEFORE = (
    *("", "", "", "", "", "ulimit -n 64;", "ulimit -f 1;", "ulimit -f 64;", "ulimit -s 256;", "umask 777;"),
    *("trap '' PIPE INT;", "mkdir gone; cd gone; rmdir ../gone;", "nice -n 19", "exec 3</dev/null 4<&3 9<&4;"),
)


def call(seed: int, report: Mapping[str, Any], process: bool = False) -> Call:
    """The call of a seed; one for a process of its own has variables and streams that are odd, too."""
    draw = Draw(seed)
    shares = {kind: 25 if process and kind is shells else share for kind, share in KINDS.items()}
    found = draw.choices(list(shares), list(shares.values()))[0](draw, report)
    if process:
        found.variables = {**draw.choice(VARIABLES), **found.variables}
        found.streams, found.before = draw.choice(STREAMS), draw.choice(BEFORE)
        found.due = None
        found.words = [text[:100_000].replace("\0", "") for text in found.words]
    return found
