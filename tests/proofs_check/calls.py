"""Calls of the command line that nobody would make on purpose, drawn from seeds: arguments, and files beside them."""

from __future__ import annotations

import argparse
import copy
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from proofs_check.commands import cli
from tests.proofs_check.pieces import (
    ANY,
    CLAIMS,
    CONFIG,
    GOOD,
    VALUED,
    WORDS,
    Draw,
    array,
    data,
    formula,
    formulas,
    gguf,
    lock,
    number,
    raw,
    raw_array,
    spoiled,
    tensors,
    word,
)

#: What stands at a path instead of a file's bytes: a pipe, a folder, or a link and where it leads.
Pipe, Folder = object(), object()


@dataclass
class Call:
    """A command line, what stands in its folder, its variables, its streams, and what its shell does before it.

    ``due`` is the status that it ends with where that is known.
    """

    kind: str
    words: list[str]
    files: dict[str, Any] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    streams: str = ""
    before: str = ""
    due: int | None = None


#: Values that name much honest work are left out, and what would look for a GPU or a cluster.
DEAR = {"standard", "thorough", "lampert2026", "*eq15*", "bao2024.appA", "*", "**", "", "bao2024", "?", "[!a]"}


def desk(report: Mapping[str, Any]) -> dict[str, Any]:
    """The files that most calls find: good ones, ones that must not be lost, and ones that are none."""
    text = json.dumps(report).encode()
    lock = '[verdicts]\n"bao2024.appA.eq11" = "verified"\n[exact]\n"bao2024.appA.eq11" = "mWm + tr1"\n'
    return {
        "report.json": text,
        "other.json": text,
        "lock.toml": lock.encode(),
        "old": b"not to be lost",
        "W.npy": array(np.eye(2)),
        "v.npy": array(np.ones(2)),
        "folder": Folder,
        "pipe": Pipe,
        "dangling": "nowhere/at/all",
        "loop": "loop",
    }


# ---- the kinds of calls


def _options(name: str) -> list[tuple[str, bool]]:
    """The options of a command, and whether each takes a value."""
    parser = argparse.ArgumentParser()
    cli.COMMANDS[name].fill(parser)
    return [(option, action.nargs != 0) for action in parser._actions for option in action.option_strings]


def words(draw: Draw, report: Mapping[str, Any]) -> Call:
    """Any options of any command in any order, good ones and odd ones."""
    if draw.random() < 0.06:
        return Call("words", [word(draw) for _ in range(draw.randrange(4))], desk(report))
    name = draw.choice([*cli.COMMANDS])
    found = [name]
    for _ in range(draw.randrange(5)):
        option, takes = draw.choice(_options(name))
        good = draw.choice([one for one in GOOD if one not in DEAR])
        given = good if draw.random() < 0.6 else word(draw)
        if given in DEAR:
            given += "x"
        found += draw.choice(([option, given] if takes else [option], [f"{option}={given}"], [given], [option]))
    if name == "verify":
        found += [draw.choice(CLAIMS), "--effort", draw.choice(("quick", "quick", word(draw)))]
    if name in ("selftest", "bench"):
        # what it measures is honest work of minutes: here it is refused for something else that is wrong
        found += ["--json", draw.choice(("", "\0", "folder", "pipe"))]
    if name == "figures":
        found += ["softmax_pieces"] if draw.random() < 0.1 else [word(draw) + "?"]
    if name == "check":
        found += ["--effort", "quick"]
    return Call("words", found, desk(report))


def reports(draw: Draw, report: Mapping[str, Any]) -> Call:
    """Files that are nearly reports, wherever one is read."""
    good = draw.choice(
        (
            ["report", "bad.json", "--markdown", "new.md", "--junit", "new.xml", "--comments", "bao2024"],
            ["report", "bad.json", "--html", "pages", "--markdown", "new.md"],
            ["report", "report.json", "--before", "bad.json", "--html", "pages"],
            ["report", "report.json", "--selftest", "bad.json", "--html", "pages"],
            ["diff", "bad.json", "report.json"],
            ["diff", "report.json", "bad.json"],
            ["lock", "--report", "bad.json", "--out", "new.toml"],
            ["verify", CLAIMS[0], "--effort", "quick", "--expect", "bad.json", "--json", "new.json"],
        )
    )
    files = {**desk(report), "bad.json": data(draw, report)}
    if draw.random() < 0.1:
        files["bad.json"] = draw.choice((Pipe, Folder, "report.json", "dangling", "loop", "/dev/zero", "/dev/full"))
    return Call("reports", good, files)


def locks(draw: Draw, report: Mapping[str, Any]) -> Call:
    """Formulas of any growth in what a run is held to."""
    claim = draw.choice(CLAIMS[:2])
    good = draw.choice(
        (
            ["verify", claim, "--effort", "quick", "--expect", "bad.toml", "--json", "new.json"],
            ["verify", claim, "--effort", "quick", "--expect", "bad.toml", "--quiet"],
            ["figures", "nothing", "--expect", "bad.toml", "--out", "drawn"],
            ["lock", "--report", "report.json", "--out", "bad.toml"],
        )
    )
    return Call("locks", good, {**desk(report), "bad.toml": lock(draw)})


def formulae(draw: Draw, report: Mapping[str, Any]) -> Call:
    """Reports whose formulas are of any growth, typeset and compared."""
    found = copy.deepcopy(dict(report))
    for claim in found["claims"]:
        claim["symbolic"]["exact"] = formulas(draw)
        claim["printed"] = {name: formulas(draw) for name in claim["printed"]}
        if claim["correction"]:
            claim["correction"]["sympy"] = formulas(draw)
    good = draw.choice(
        (
            ["report", "bad.json", "--html", "pages", "--markdown", "new.md", "--comments", "bao2024"],
            ["diff", "bad.json", "report.json"],
            ["verify", CLAIMS[1], "--effort", "quick", "--expect", "bad.json"],
        )
    )
    return Call("formulae", good, {**desk(report), "bad.json": json.dumps(found).encode()})


TOKENS = ("x[i]", "x[j]", "x[T]", "x[i + 1]", "x[1]", "x[0]", "x[-1]", "x[i/2]", "x", "mean(x)", "x[10**9]", "x[i,j]")
MATRICES = ("W", "W.T", "Sigma", "I", "W*Sigma", "W**2", "W**40", "inv(Sigma)", "B", "W.T*W", "W**-1", "W**i", "0*W")
SCALARS = ("i", "j", "T", "d", "n", "a", "lam", "s[1]", "s[j]", "softmax(s)[1]", "max(s)", "entropy(p)", "theta", "pi")
OUTER = (
    "E[{}]",
    "Var[{}]",
    "Kurt[{}]",
    "P[{} > 0]",
    "sqrt({})",
    "exp({})",
    "abs({})",
    "-({})",
    "({})**2",
    "({})**9",
    "({})**i",
)
OUTER2 = (
    "({})+({})",
    "({})*({})",
    "({})/({})",
    "Cov[{}, {}]",
    "min({}, {})",
    "sum({}, k, 1, {})",
    "lim({}) + {}",
    "{}[{}]",
)


def _term(draw: Draw, depth: int) -> str:
    if depth <= 0:
        token, other = draw.choice(TOKENS), draw.choice(TOKENS)
        kind = draw.randrange(6)
        if kind < 2:
            return f"{token}.T*{draw.choice(MATRICES)}*{other}"
        return (
            draw.choice(SCALARS),
            f"tr({draw.choice(MATRICES)})",
            f"norm({token} - {other})**2",
            draw.choice((number(draw), draw.choice(ANY), draw.choice(MATRICES), token)),
        )[kind - 2]
    if draw.random() < 0.6:
        return draw.choice(OUTER).format(_term(draw, depth - 1))
    return draw.choice(OUTER2).format(_term(draw, depth - 1), _term(draw, depth - 1))


GIVEN = (
    "W symmetric",
    "i <= j",
    "Sigma = I",
    "d = 1",
    "lam > 0",
    "s in R^n",
    "n = 3",
    "d = 10**9",
    "i < i",
    "W psd",
    "W = W*W",
)
LAWS = (
    "walk",
    "walk(start=0)",
    "walk(start=m)",
    "iid",
    "iid(signs)",
    "ar1(a)",
    "ar1(2)",
    "gaussian(min(s, t))",
    "gaussian(s/0)",
)
LIMITS = ("T -> oo", "T -> oo, i/T -> theta", "a -> 1", "T -> 3", "i -> i", "oo -> T")


def statements(draw: Draw, report: Mapping[str, Any]) -> Call:
    """Statements of the language, well formed and not, with hypotheses, laws and limits of either kind."""
    left, right = _term(draw, draw.choice((0, 1, 1, 2, 3))), _term(draw, draw.choice((0, 0, 1, 2)))
    text = f"{left} {draw.choice(('=', '=', '<=', '>=', '->', '~', '<', 'iff', '=='))} {right}"
    if draw.random() < 0.15:
        at = draw.randrange(len(text))
        text = text[:at] + draw.choice((*ANY, *MATRICES, "(", ")", "[")) + text[at + draw.randrange(3) :]
    if draw.random() < 0.05:
        size = draw.choice((40, 400, 4000))
        text = draw.choice(
            ("(" * size + left + ")" * size + " = 1", "+".join([left] * size) + " = 0", "-" * size + "i = 1")
        )
    found = ["check", text, "--effort", "quick"]
    for option, pool in (("--for", GIVEN), ("--law", LAWS), ("--as", LIMITS)):
        if draw.random() < 0.4:
            given = ", ".join(draw.sample(pool, draw.choice((1, 1, 2)))) if option == "--for" else draw.choice(pool)
            found += [option, given if draw.random() < 0.85 else word(draw)]
    if draw.random() < 0.2:
        found += [
            "--where",
            draw.choice(("s[i] = x[i].T*W*x[T]/T", "a = a", "b = c; c = b", "f = " + left, word(draw))),
        ]
    found += draw.choice(
        ([], [], ["--json", "new.json"], ["--json", word(draw)], ["--save", "mine.sec1.thing"], ["--jobs", "1"])
    )
    return Call("statements", found, desk(report))


def _matrix(draw: Draw) -> bytes:
    size = draw.choice((0, 1, 1, 2, 2, 3, 8, 40, 200))
    at = np.random.default_rng(draw.randrange(2**32))
    made: Any = at.standard_normal((size, size))
    made = draw.choice((made, made @ made.T, made + made.T, 0 * made, np.diag(np.diag(made)), made[:1].T @ made[:1]))
    made = made * draw.choice((1, 1, 1, 1e59, 1e61, 1e-59, 1e150, 1e-150, np.nan, 1j))
    with np.errstate(all="ignore"):
        made = made.astype(
            draw.choice((made.dtype, made.dtype, np.complex64 if made.dtype == complex else np.float32, object))
        )
    found = array(draw.choice((made, made, made, made[:, :1], made.ravel(), made[None], made.tolist() or 0)))
    return found if draw.random() < 0.85 else raw_array(draw, found)


def values(draw: Draw, report: Mapping[str, Any]) -> Call:
    """``eval`` at parameters and matrices of any kind."""
    found = ["eval", draw.choice(VALUED), "--effort", "quick"]
    for name in draw.sample(("i", "j", "T", "lam", "theta", "d", "start", "W", "\x1b"), draw.randrange(5)):
        given = draw.choice((str(draw.randrange(1, 9)), str(draw.randrange(1, 9)), number(draw), word(draw)))
        found += ["--set", f"{name}={given}"]
    files = desk(report)
    for name in draw.sample(("w", "sigma", "m", "a", "b"), draw.choice((0, 1, 1, 2))):
        files[f"{name}.npy"] = (
            _matrix(draw) if draw.random() < 0.9 else draw.choice((Pipe, Folder, "/dev/zero", "loop"))
        )
        found += [f"--{name}", f"{name}.npy"]
    if draw.random() < 0.2:
        found += ["--vector", draw.choice(("x=v.npy", "y=v.npy", "x=pipe", word(draw)))]
    return Call("values", found, files)


def cases(draw: Draw, report: Mapping[str, Any]) -> Call:
    """``verify --case`` with JSON of any kind, large numbers and large matrices."""
    d = draw.choice((1, 1, 2, 3, 6, 20, 40, 64))
    size = draw.choice((9, 9, 99, 10**6, 10**20))

    def entry() -> Any:
        return draw.choice((draw.randrange(-9, 9), f"{draw.randrange(size)}/{draw.randrange(1, size)}"))

    half = [[entry() for _ in range(d)] for _ in range(d)]
    good = [[half[max(r, c)][min(r, c)] for c in range(d)] for r in range(d)]
    unit = [[int(r == c) for c in range(d)] for r in range(d)]
    case: Any = {
        "d": d,
        "W": draw.choice((good, unit, half)),
        "Sigma": draw.choice((unit, unit, good)),
        "i": draw.randrange(1, 9),
    }
    if draw.random() < 0.3:
        case |= {"T": draw.choice((8, 64, 4096, 10**9)), "start": draw.choice(("zero", "sigma", "x"))}
    if draw.random() < 0.45:
        case = spoiled(draw, case)
    text = json.dumps(case) if draw.random() < 0.9 else raw(draw, json.dumps(case).encode()).decode("utf-8", "replace")
    # what an argument of a process can hold
    return Call(
        "cases", ["verify", draw.choice(CLAIMS[:2]), "--effort", "quick", "--case", text[:100_000].replace("\0", "0")]
    )


def places(draw: Draw, report: Mapping[str, Any]) -> Call:
    """Outputs and lemmas where something else stands already: pipes, folders, links to nowhere and to themselves."""
    files = desk(report)
    name = draw.choice(
        ("mine.sec1.thing", "mine.sec1.thing", "mine", "a.b.c.d.e", "torch.sec1.x", "mine.sec1.lambda", word(draw))
    )
    paths = (
        "mine",
        "mine/theorems",
        "mine/theorems/sec1.py",
        "mine/montecarlo",
        "mine/montecarlo/sec1.py",
        "tests",
        "pyproject.toml",
    )
    for path in draw.sample((*paths, "mine/__init__.py", "mine/tests", "mine/sec1"), draw.randrange(4)):
        if not any(path.startswith(other + "/") or other.startswith(path + "/") for other in files):
            files[path] = draw.choice((b"mine\n", Pipe, Folder, "dangling", "loop", "../gone", "old", b"\x1b[31m"))
    target = draw.choice(
        ("dangling", "loop", "pipe", "folder", "old", "new/deep/er", "/dev/full", "/dev/null/x", "pages", word(draw))
    )
    good = draw.choice(
        (
            [
                "new-lemma",
                name,
                "--kind",
                draw.choice(("moment", "bound", "limit", "existence", "construction", word(draw))),
            ],
            ["new-lemma", name],
            ["report", "report.json", "--html", target],
            ["report", "report.json", "--markdown", target, "--junit", "new.xml"],
            ["report", "report.json", "--comments", "bao2024", "--latex", target],
            ["report", "report.json", "--html", "pages", "--figures", target],
            ["lock", "--report", "report.json", "--out", target, "--figures", draw.choice(("folder", "pipe", "loop"))],
            ["verify", CLAIMS[0], "--effort", "quick", "--json", target],
            ["verify", CLAIMS[0], "--effort", "quick", "--html", target],
            ["figures", "softmax_pieces?", "--out", target],
        )
    )
    if "pages" in good:
        names = "\n".join((draw.choice(ANY), "index.html", "../old", "/etc/passwd", word(draw)))
        files["pages/files.txt"] = draw.choice((names.encode("utf-8", "replace"), Pipe, Folder, "loop", "../old"))
        files["pages/report.json"] = draw.choice((data(draw, report), Pipe, Folder))
    return Call("places", good, files)


def models(draw: Draw, report: Mapping[str, Any]) -> Call:
    """``measure`` of folders and files that are nearly models."""
    text = " ".join(draw.choice("abcd") for _ in range(90)).encode()
    words = json.dumps(WORDS).encode()
    files = {
        **desk(report),
        "m/config.json": draw.choice((Pipe, "loop", data(draw, CONFIG), *(json.dumps(CONFIG).encode(),) * 5)),
        "m/model.safetensors": draw.choice((tensors(draw),) * 6 + (raw_array(draw, tensors(draw)), Pipe, "loop")),
        "m/tokenizer.json": draw.choice((data(draw, WORDS), data(draw, WORDS), Pipe, words, words)),
        "m.gguf": gguf(draw),
        "text": draw.choice((text, text, text, text, b"", b"\xff", draw.randbytes(99), Pipe, Folder)),
    }
    path = draw.choice(("m", "m", "m", "m", "m.gguf", "m.gguf", "folder", "pipe", "loop", "old", word(draw)))
    found = ["measure", path, "--text", "text"]
    for option in draw.sample(("--tokens", "--heads", "--json", "--html"), draw.choice((0, 0, 1))):
        found += [option, draw.choice(("8", "0.0", "new.json", word(draw)))]
    return Call("models", found, files)


def lemmas(draw: Draw, report: Mapping[str, Any]) -> Call:
    """Claims of a folder, whose words and formulas are of any kind."""
    text = (
        "from theorems.authoring import claim, derivation\n\n"
        "claim('mine.sec1.thing', printed={printed!r}, symbols={symbols!r},\n"
        "      positions={positions!r}, where={where!r})\n\n\n"
        "@derivation('mine.sec1.thing')\ndef thing(walk, i):\n    return walk.expect(walk.form(i, walk.W, i))\n"
    )
    made = {
        "printed": draw.choice((formulas(draw), "i*tr1", word(draw))),
        "symbols": draw.choice(("i tr1", word(draw), formula(draw, 1))),
        "positions": draw.choice(("i", "i j", word(draw))),
        "where": draw.choice(("Eq. (1)", word(draw))),
    }
    files = {
        **desk(report),
        "mine/__init__.py": b"",
        "mine/theorems.py": text.format(**made).encode("utf-8", "backslashreplace"),
    }
    good = draw.choice(
        (["list", "mine"], ["show", "mine.sec1.thing"], ["list", "mine.*"], ["eval", "mine.sec1.thing", "--set", "i=2"])
    )
    return Call("lemmas", good, files)
