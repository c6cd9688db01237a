"""What hostile calls are made of: odd texts, formulas that grow, and data and files that are nearly good."""

from __future__ import annotations

import copy
import json
import random
import struct
from collections.abc import Iterator, Mapping
from io import BytesIO
from typing import Any

import numpy as np

Draw = random.Random
#: Claims that are judged at once, from a statement, by points, by tokens; and one that is a statement alone.
CLAIMS = ("bao2024.appA.eq11", "bao2024.appA.eq15", "lampert2026.sec5.dprime-0")
VALUED = (*CLAIMS, "bao2024.sec4.lemma1-variance", "bao2024.appA.eq12", "choromanski2021.sec2.lemma1")
STEERING = ("\x1b[2J", "\x1b]0;owned\a", "\x9b31m", "a\rb", "\u202eabc", "\u2028", "\x7f", "\b\b\b", "\udc9b", "\ud800")
RUNNING = ("__import__('os').system('touch PWNED')", "$(touch PWNED)", "`touch PWNED`", "open('PWNED','w')", "{0!r:>9}")
ODD = (
    *(
        "",
        " ",
        "-",
        "--",
        "---",
        "--=",
        "=",
        "%s%n",
        "*",
        "**",
        "[",
        "[!a]",
        "?",
        "~root",
        ".",
        "..",
        "/",
        "//",
        "a//b",
    ),
    *(
        "../../../etc/passwd",
        "/dev/null",
        "/dev/zero",
        "/dev/stdin",
        "/proc/self/mem",
        "file:///etc/passwd",
        "CON",
        "a" * 256,
    ),
    *(
        "a" * 5000,
        "é" * 130,
        "x\0y",
        "\n",
        "\r\n",
        "٣",
        "１２",
        "Ⅳ",
        "½",
        "∞",
        "nan",
        "-nan",
        "inf",
        "-Infinity",
        "1e309",
    ),
    *("0", "-0", "-1", "+1", "00", "1_0", "0x1f", "1e3", "1.", ".5", "1/2", "1/0", "2/4", "9" * 400, "-" + "9" * 400),
    *(
        "9223372036854775808",
        "1e-400",
        "true",
        "None",
        "null",
        "[]",
        "{}",
        '""',
        "1j",
        "x=1",
        "T=8",
        "T=8=9",
        "=8",
        "i=",
    ),
)
ANY = (*ODD, *STEERING, *RUNNING)
GOOD = (
    *(
        *VALUED,
        "bao2024.appA",
        "lampert2026",
        "*eq15*",
        "report.json",
        "other.json",
        "lock.toml",
        "W.npy",
        "v.npy",
        "old",
    ),
    *(
        "folder",
        "pipe",
        "dangling",
        "loop",
        "new",
        "sub/new",
        "folder/new",
        "quick",
        "standard",
        "thorough",
        "cpu",
        "cuda",
    ),
    *("auto", "1", "2", "7", "literal", "fused", "joint", "1x1", "2x3", "0.1", "bash", "zsh", "fish", "softmax_pieces"),
    *(
        "tcp://127.0.0.1:9",
        "T=4",
        "i=2",
        "j=3",
        "lam=1/2",
        "theta=1/3",
        "mine.sec1.thing",
        "bao2024",
        "identity",
        "bound",
    ),
)


def array(values: Any) -> bytes:
    """The bytes of an .npy file."""
    out = BytesIO()
    np.save(out, np.asarray(values), allow_pickle=True)
    return out.getvalue()


def word(draw: Draw) -> str:
    """A text of any kind, or a good one made odd."""
    roll = draw.random()
    if roll < 0.5:
        return draw.choice(ANY)
    if roll < 0.7:
        return draw.choice(GOOD) + draw.choice(STEERING)
    if roll < 0.85:
        return "".join(
            chr(draw.choice((draw.randrange(32, 127), draw.randrange(0x2FFF)))) for _ in range(draw.randrange(1, 9))
        )
    return draw.choice(GOOD) * draw.choice((2, 50))


def number(draw: Draw) -> str:
    """An integer, a fraction or a decimal, of any size."""
    digits = str(draw.randrange(10 ** draw.choice((1, 1, 2, 6, 30, 99, 101, 400))))
    kind = draw.randrange(6)
    if kind == 0:
        return f"{digits}/{draw.randrange(1, 10 ** draw.choice((1, 3, 40)))}"
    if kind == 1:
        return f"{digits}.{draw.randrange(10**6)}"
    return ("-" if kind == 2 else "") + digits


LEAVES = ("i", "j", "T", "tr1", "tr2", "lam", "theta", "pi", "a", "b", "x", "1", "2", "3", "7/12", "0", "-1")
CALLED = (
    "exp",
    "log",
    "sqrt",
    "sin",
    "cos",
    "erf",
    "Abs",
    "Max",
    "Min",
    "Indicator",
    "Sum",
    "Piecewise",
    "gamma",
    "prod",
)


def formula(draw: Draw, depth: int) -> str:
    """An expression as a report or a lock holds it, of functions, powers and sums that grow."""
    if depth <= 0 or draw.random() < 0.12:
        return draw.choice((*LEAVES, number(draw)) if draw.random() < 0.95 else ANY)
    one, two = formula(draw, depth - 1), formula(draw, depth - 1 - draw.randrange(3))
    kind = draw.randrange(9)
    if kind < 4:
        return f"({one}){draw.choice('+-*/')}({two})"
    if kind == 4:
        return f"({one})**{draw.choice((2, 3, 7, 64, 65, 10**9, -1, -7, '(1/2)', '(1/3)', '(-1/2)', two))}"
    name = draw.choice(CALLED)
    if name == "Sum":
        return f"Sum({one}, k, 1, {two})"
    if name == "Piecewise":
        return f"Piecewise(({one}, {two} < 1), (0, True))"
    if name == "Indicator":
        return f"Indicator({one} <= {two})"
    return f"{name}({one}, {two})" if name in ("Max", "Min") else f"{name}({one})"


def grown(draw: Draw) -> str:
    """A formula that is short to write and long to work out."""
    size = draw.choice((3, 9, 30, 90, 400))
    return draw.choice(
        (
            lambda: "+".join(f"{draw.choice(LEAVES)}**{draw.randrange(9)}" for _ in range(size)),
            lambda: "*".join(f"(a{n}+b{n}+{n})" for n in range(size)),
            lambda: "(" * size + "x" + "+1)**2" * size,
            lambda: "exp(" * size + "x" + ")" * size,
            lambda: f"(a+b+c+d)**{size}",
            lambda: f"1/(a+b+c+d)**{size}",
            lambda: f"Max({', '.join(f'x{n}' for n in range(size))})",
            lambda: "sqrt(" * size + "x+1" + ")" * size,
            lambda: f"Sum(k**{size}*(a+k)**9, k, 1, (T+i+j)**3)",
            lambda: f"2**{size}**{size}",
            lambda: f"log(exp({formula(draw, 3)})*(a+b)**{size})",
            lambda: "-" * size + "x",
        )
    )()


def formulas(draw: Draw) -> str:
    """A formula of either kind."""
    return grown(draw) if draw.random() < 0.4 else formula(draw, draw.choice((2, 4, 7)))


def value(draw: Draw, depth: int = 2) -> Any:
    """A JSON value of any kind."""
    kind = draw.randrange(9 if depth else 6)
    if kind < 2:
        return draw.choice(
            (None, True, False, 0, -1, 1e308, -1e308, 5e-324, 10**99, -(10**99), 10**400, 2**63, float("nan"))
        )
    if kind < 5:
        return word(draw)
    if kind == 5:
        return formulas(draw)
    if kind == 6:
        return [value(draw, depth - 1) for _ in range(draw.randrange(4))]
    return {word(draw): value(draw, depth - 1) for _ in range(draw.randrange(4))}


def _places(whole: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    items = whole.items() if isinstance(whole, dict) else enumerate(whole) if isinstance(whole, list) else ()
    for key, part in items:
        yield from _places(part, (*path, key))


def spoiled(draw: Draw, whole: Any) -> Any:
    """The value with one to three of its parts exchanged for others, dropped, or moved."""
    found = copy.deepcopy(whole)
    for _ in range(draw.choice((1, 1, 2, 3))):
        places = [path for path in _places(found) if path]
        if not places:
            return value(draw)
        path = draw.choice(places)
        holder = found
        for key in path[:-1]:
            holder = holder[key]
        old = holder[path[-1]]
        kind = draw.randrange(6)
        if kind == 0:
            del holder[path[-1]]
        elif kind == 1 and isinstance(old, str):
            at = draw.randrange(len(old) + 1)
            holder[path[-1]] = old[:at] + draw.choice(ANY) + old[at:]
        elif kind == 2 and isinstance(old, int | float) and old is not True:
            holder[path[-1]] = draw.choice((-old, old * 10**60, 10**99, 10**400, 1e-300, -1, 0.5))
        elif kind == 3 and isinstance(old, list):
            holder[path[-1]] = old * draw.choice((0, 2, 40))
        else:
            holder[path[-1]] = value(draw)
    return found


def raw(draw: Draw, whole: bytes) -> bytes:
    """A file cut, doubled, filled, deepened, or another altogether."""
    at = draw.randrange(len(whole) + 1)
    deep = draw.choice((b"[", b'{"a":', b"a=[", b"[[", b"{a={", b"a.", b"("))
    return draw.choice(
        (
            lambda: whole[:at],
            lambda: whole + whole,
            lambda: whole[:at] + draw.randbytes(draw.choice((1, 9, 400))) + whole[at:],
            lambda: whole[:at] + deep * draw.choice((9, 900, 100_000)) + whole[at:],
            lambda: deep * 100_000,
            lambda: b"\0" * draw.choice((1, 10_000, 20_000_000)),
            lambda: b"\xef\xbb\xbf" + whole,
            lambda: whole.decode("utf-8").encode("utf-16"),
            lambda: b"[" + b"0," * 2_000_000 + b"0]",
            lambda: b"x = " + b"9" * draw.choice((99, 5000)),
            lambda: b".".join([b"a"] * draw.choice((9, 50_000))) + b" = 1\n",
            lambda: b'"a" = 1\n' * 2,
            lambda: b"",
        )
    )()


def data(draw: Draw, whole: Mapping[str, Any]) -> bytes:
    """A JSON file that is nearly a report."""
    if draw.random() < 0.25:
        return raw(draw, json.dumps(whole).encode())
    return json.dumps(spoiled(draw, whole)).encode()


def lock(draw: Draw) -> bytes:
    """A TOML file that is nearly a lock, with formulas of any kind."""
    claim = draw.choice(CLAIMS[:2])
    tables = {
        "made": {"effort": "quick", "seed": 0},
        "verdicts": {claim: draw.choice(("verified", "refuted", word(draw)))},
        "exact": {claim: formulas(draw), CLAIMS[0]: draw.choice(("tr1 + mWm", formulas(draw)))},
        "corrections": {claim: formulas(draw)},
        "clauses": {claim: formulas(draw)},
        "figures.softmax_pieces": {"numbers": 3, "size": 1.5, "order": 1.5, "words": "00"},
    }
    if draw.random() < 0.5:
        tables = spoiled(draw, tables)
    lines = []
    for name, table in tables.items() if isinstance(tables, dict) else ():
        lines += [f"[{name}]"] if isinstance(table, dict) else [f"{name} = {json.dumps(table)}"]
        lines += [f"{json.dumps(k)} = {json.dumps(v)}" for k, v in table.items()] if isinstance(table, dict) else []
    text = "\n".join(lines).encode("utf-8", "replace")
    return raw(draw, text) if draw.random() < 0.2 else text


def raw_array(draw: Draw, whole: bytes) -> bytes:
    """An .npy file cut, with other bytes in its head, or something else."""
    at = draw.randrange(len(whole))
    return draw.choice((whole[:at], whole[:at] + draw.randbytes(4) + whole[at + 4 :], b"\x93NUMPY", b"PK\3\4" + whole))


# ---- models


CONFIG: dict[str, Any] = {
    "model_type": "llama",
    "hidden_size": 4,
    "num_attention_heads": 2,
    "num_hidden_layers": 1,
    "vocab_size": 9,
}
CONFIG["rope_scaling"] = {"rope_type": "yarn", "factor": 2.0, "beta_fast": 8, "truncate": False}
CONFIG |= {"intermediate_size": 4, "rms_norm_eps": 1e-5, "max_position_embeddings": 64, "hidden_act": "silu"}
WORDS: dict[str, Any] = {
    "version": "1.0",
    "truncation": None,
    "padding": None,
    "added_tokens": [],
    "normalizer": None,
    "decoder": None,
}
WORDS |= {"pre_tokenizer": {"type": "Whitespace"}, "post_processor": None}
WORDS |= {"model": {"type": "WordLevel", "vocab": {"a": 0, "b": 1, "c": 2}, "unk_token": "a"}}


def tensors(draw: Draw) -> bytes:
    """A safetensors file of the weights that CONFIG wants, or nearly."""
    at = "model.layers.0."
    square = [f"{at}self_attn.{kind}_proj.weight" for kind in "qkvo"] + [
        f"{at}mlp.{k}_proj.weight" for k in ("gate", "up", "down")
    ]
    shapes: dict[str, list[int]] = {name: [4, 4] for name in square}
    shapes |= {name: [9, 4] for name in ("model.embed_tokens.weight", "lm_head.weight")}
    shapes |= {
        name: [4]
        for name in ("model.norm.weight", f"{at}input_layernorm.weight", f"{at}post_attention_layernorm.weight")
    }
    head: Any = {}
    end = 0
    for name, shape in shapes.items():
        size = 4 * int(np.prod(shape))
        head[name] = {"dtype": "F32", "shape": shape, "data_offsets": [end, end + size]}
        end += size
    if draw.random() < 0.5:
        head = spoiled(draw, head)
    text = json.dumps(head).encode()
    numbers = np.random.default_rng(draw.randrange(99)).standard_normal(end // 4) * draw.choice((1, 1, 1e30, np.nan, 0))
    size = draw.choice((len(text),) * 30 + (2**63, 2**64 - 1, 0, len(text) + 9))
    return struct.pack("<Q", size) + text + numbers.astype(np.float32).tobytes()[: draw.choice((None, None, None, 3))]


def _field(name: str, kind: int, content: bytes) -> bytes:
    return struct.pack("<Q", len(name)) + name.encode() + struct.pack("<I", kind) + content


def gguf(draw: Draw) -> bytes:
    """The head of a GGUF file, whose counts may be any."""

    def many() -> int:
        return draw.choice((0, 1, 2, 9, 2**31, 2**40, 2**62, 2**64 - 1))

    fields = [_field("general.architecture", 8, struct.pack("<Q", 5) + b"llama")]
    for name in ("llama.embedding_length", "llama.attention.head_count", "llama.block_count", "llama.context_length"):
        fields.append(_field(name, 4, struct.pack("<I", draw.choice((4, 4, 0, 2**32 - 1)))))
    fields.append(
        _field(
            "tokenizer.ggml.tokens",
            9,
            struct.pack("<IQ", draw.choice((0, 1, 7, 8, 9, 99)), many()) + draw.randbytes(40),
        )
    )
    fields = draw.sample(fields, draw.randrange(len(fields) + 1))
    count = draw.choice((len(fields), len(fields), many()))
    head = b"GGUF" + struct.pack("<IQQ", draw.choice((1, 2, 3, 3, 3, 99)), draw.choice((0, 0, many())), count)
    return head + b"".join(fields) + draw.randbytes(draw.choice((0, 9, 90)))
