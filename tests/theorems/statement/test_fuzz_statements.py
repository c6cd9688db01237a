"""Whatever is written for a statement is read, or refused in one line that points at its place; nothing is evaluated.

Statements are drawn from the grammar, well and ill formed, and the examples of the documents are mutated: characters
dropped, doubled and exchanged, pieces of other statements put in, depths and numbers blown up.
"""

from __future__ import annotations

import builtins
import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proofs_check.statements.timing import TimeLimitError, time_limit
from theorems.statement import StatementError, proposition
from theorems.statement.deciding.decide import Derivation, decide
from theorems.statement.latex import statement_latex
from theorems.statement.proposition import Proposition
from theorems.statement.prose import in_words
from theorems.statement.reading.language import MAX_DEPTH, MAX_LENGTH
from theorems.statement.reading.notation import plain

PAGE = Path(__file__).parents[3] / "docs" / "statements.md"
#: Statement, hypotheses, definitions, law and limit.
Texts = tuple[str, str, str, str, str]
#: Seconds of processor time that reading, and deciding, one statement may take.
READING, DECIDING = 2.0, 10.0
#: Most nodes that are made of one character, definitions put in.
GROWTH = 400

ATOMS = [
    *("x[i]", "x[i + 1]", "x[j]", "x[T]", "x[1]", "x[0]", "x[-1]", "x[i/2]", "x", "mean(x)", "W", "Sigma", "I", "B"),
    *("W.T", "W.x", "i", "j", "T", "d", "n", "a", "lam", "theta", "m", "s[j]", "s", "1", "0", "-1", "7/12", "0.5"),
    *("A*x[i]", "A", "A.T", "b", "x[i]*x[j].T", "Σ", "λ", "x_i", "x[i]ᵀ", "‖x[i]‖", "|a|", "<a, b>", "W^T", "W²"),
    *("1e400", "9" * 50, "1_000", "0x1f", "1j", "'x'", "None", "True", "__import__('os')", "().__class__", "lambda: 1"),
    *("[1 for k in s]", "{1: 2}", "x[1:2]", "x[i, j]", "...", "a if b else c", "a and b", "not a", "f'{a}'", "é", "∑"),
]
WRAPPED = [
    *(
        "E[{}]",
        "Var[{}]",
        "Cov[{}]",
        "Cov[{}, {}]",
        "Corr[{}, {}]",
        "Kurt[{}]",
        "Skew[{}]",
        "P[{} > {}]",
        "tr({})",
        "norm({})",
    ),
    *(
        "norm({}, fro)",
        "norm({}, 7)",
        "sqrt({})",
        "exp({})",
        "log({})",
        "abs({})",
        "min({}, {})",
        "max({}, {})",
        "({})",
    ),
    *("sum({}, j, 1, T)", "sum({}, j, {}, {})", "sum({}, T, 1, 3)", "softmax({})[{}]", "entropy({})", "{}.T", "{}**{}"),
    *(
        "{} + {}",
        "{} - {}",
        "{}*{}",
        "{}/{}",
        "-{}",
        "{}^2",
        "{}**64",
        "{}**10000",
        "o({})",
        "O({})",
        "E({})",
        "tr[{}]",
    ),
    *("{}.T*{}*{}", "{}[{}]", "foo({})", "({}", "{})", "E[{}", "{} = {}", "{}; {}", "{}, {}", "exec({})", "open({})"),
]
HYPOTHESES = [
    *(
        "W symmetric",
        "W psd",
        "W != 0",
        "Sigma = I",
        "i <= j",
        "i < j <= T",
        "i = j",
        "j < i",
        "d = 1",
        "d >= 2",
        "d = 0",
    ),
    *("A in R^(m x d)", "A in R^(d x m)", "A in R^(2 x d), b in R^2", "b in R^m", "A in R^(m x m), A psd"),
    *("0 < a < 1", "a > 1", "lam > 0", "lam real", "s in R^n", "s in R^T", "a in R^d", "B symmetric", "abs(s[j]) <= a"),
    *(
        "W nice",
        "i <= ",
        "<= j",
        "x[i] > 0",
        "a ->",
        "i <= j <= i - 1",
        "W",
        "",
        ",",
        "n integer",
        "theta <= 2",
        "Σ psd",
    ),
]
LAWS = [
    *("walk", "walk(start=0)", "walk(start=m)", "iid", "ar1(a)", "ar1(1/2)", "gaussian(min(s, t))", "gaussian(s - t)"),
    *("iid(signs)", "iid student(5)", "iid(student(a))", "iid(mixture(1/2, 3))", "iid(", "ar1", "gaussian(exp(s**64))"),
    *("walk(start=7)", "iid(signs(1))", "levy", "", "gaussian(__import__('os').getcwd())", "iid(student(x[1]))"),
]
LIMITS = [
    *(
        "",
        "",
        "T -> oo",
        "T -> oo, i/T -> theta",
        "a -> 1",
        "i -> oo",
        "T -> 3",
        "i/T -> 2",
        "lam -> 0",
        "T",
        "->",
        "d -> oo",
    ),
]
DEFINITIONS = [
    "",
    "",
    "s[i] = x[i].T*W*x[T]/T",
    "a = 1/2",
    "s[i] = s[i]",
    "a = a + 1",
    "W = 1",
    "s[i] = ",
    "b = x[i]; a = b",
]


#: Modules that read text.
READERS = ("theorems", "montecarlo", "proofs_check", "sympy.parsing", "sympy.core.sympify", __name__)


class EvaluatedError(BaseException):
    """Something was evaluated; no ``except Exception`` hides it."""


@pytest.fixture
def nothing_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Evaluation by our own code or by sympy's parsers raises; modules that are imported later make classes with it."""

    def forbidden(call: Any) -> Any:
        def called(*args: Any, **options: Any) -> Any:
            caller = sys._getframe(1).f_globals.get("__name__", "")
            if caller.startswith(READERS):
                raise EvaluatedError(args)
            return call(*args, **options)

        return called

    for place, name in ((builtins, "eval"), (builtins, "exec"), (os, "system"), (subprocess, "Popen")):
        monkeypatch.setattr(place, name, forbidden(getattr(place, name)))


def examples() -> list[Texts]:
    """The statements of the documents."""
    row = re.compile(r"^\| `([^`]+)` \|(?: `([^`]+)`)? \|(?: `([^`]+)`)? \| \w+ \|$")
    found = []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if match := row.match(line):
            options = dict(re.findall(r"--(\w+) (.*?)(?= --|$)", match[3] or ""))
            known = match[2] or ""
            found.append((match[1], known, options.get("where", ""), options.get("law", "walk"), options.get("as", "")))
    return found


EXAMPLES = examples()


def expression(generator: random.Random, depth: int) -> str:
    """A piece of the grammar, mostly sound."""
    if depth == 0 or generator.random() < 0.25:
        return generator.choice(ATOMS[:30] if generator.random() < 0.9 else ATOMS)
    shape = generator.choice(WRAPPED[:36] if generator.random() < 0.9 else WRAPPED)
    return shape.format(*(expression(generator, depth - 1) for _ in range(shape.count("{}"))))


def made(generator: random.Random) -> Texts:
    """A statement of the grammar."""
    relation = generator.choice(["=", "=", "=", "<=", "<", ">=", "->", "~", "==", "", "=>", "= 1 ="])
    known = ", ".join(generator.sample(HYPOTHESES, generator.choice([0, 0, 1, 2, 3])))
    text = (
        f"{expression(generator, generator.randint(0, 5))} {relation} {expression(generator, generator.randint(0, 3))}"
    )
    return text, known, generator.choice(DEFINITIONS), generator.choice(LAWS), generator.choice(LIMITS)


def mutated(generator: random.Random) -> Texts:
    """An example of the documents with one of its texts edited once or more."""
    parts = list(generator.choice(EXAMPLES))
    other = generator.choice(EXAMPLES)
    for _ in range(generator.choice([1, 1, 2, 5])):
        k = generator.choice([0, 0, 0, 1, 3, 4])
        text = parts[k]
        at, to = sorted(generator.randint(0, len(text)) for _ in range(2))
        piece = generator.choice(
            [other[k], generator.choice(ATOMS), generator.choice("()[]{}*/+-=<>,.;:^~\\\"'#\n\t\0"), "(" * 200]
        )
        parts[k] = generator.choice(
            [text[:at] + text[to:], text[:to] + text[at:], text[:at] + piece + text[at:], text[:at] + piece + text[to:]]
        )
    return parts[0], parts[1], parts[2], parts[3], parts[4]


def exchanged(generator: random.Random) -> Texts:
    """An example of the documents with words exchanged for others of their kind: mostly still a statement."""
    parts = list(generator.choice(EXAMPLES))
    kinds = [
        ["i", "j", "k", "T", "1", "2"],
        ["W", "Sigma", "W.T", "I"],
        ["+", "-", "*", "/"],
        ["E", "Var"],
        ["2", "3", "7", "1/2", "0"],
    ]
    kinds += [["=", "<=", ">="], ["iid", "walk", "iid(sphere)", "iid(student(30))", "walk(start=0)"]]
    for _ in range(generator.choice([1, 2, 3])):
        k = generator.choice([0, 0, 0, 1, 3])
        words = re.findall(r"\w+|\W", parts[k])
        places = [(n, kind) for n, word in enumerate(words) for kind in kinds if word in kind]
        if places:
            at, kind = generator.choice(places)
            words[at] = generator.choice(kind)
            parts[k] = "".join(words)
    return parts[0], parts[1], parts[2], parts[3], parts[4]


def drawn(seed: int) -> Texts:
    """The statement of a seed."""
    generator = random.Random(seed)
    return generator.choice([made, mutated, exchanged])(generator)


def _forms(text: str) -> tuple[str, ...]:
    """A text as it was written, and with its symbols as names."""
    try:
        return text, plain(text)
    except StatementError:
        return (text,)


def read(texts: Texts) -> Proposition | None:
    """The proposition, None where it is refused as it should be; anything else is an assertion that fails."""
    began = time.process_time()
    try:
        found: Proposition | None = proposition(*texts)
    except StatementError as error:
        message = str(error)
        assert message.strip(), texts
        assert "\n" not in error.caret.replace("\n  ", "", 1).replace("\n", "", 1) if error.caret else True, texts
        assert len(message) < 2 * MAX_LENGTH, texts
        if error.text:
            assert error.text.split() in [form.split() for text in texts for form in _forms(text)], (texts, error.text)
            assert -1 <= error.at <= len(error.text), (texts, error.at)
        found = None
    assert time.process_time() - began < READING, texts
    if found is not None:
        nodes = sum(1 for side in (found.left, found.right) for _ in side.walk())
        assert nodes <= GROWTH * (1 + sum(map(len, texts))), texts
        assert in_words(found) and statement_latex(found)
    return found


@pytest.mark.usefixtures("nothing_is_run")
def test_some_hundred_statements_are_read_or_refused() -> None:
    fates = [read(drawn(seed)) is not None for seed in range(600)]
    # both happen often, or the fuzz looks at nothing
    assert 40 < sum(fates) < 560


@pytest.mark.usefixtures("nothing_is_run")
@settings(max_examples=150, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.tuples(*[st.one_of(st.text(max_size=40), st.sampled_from([t[k] for t in EXAMPLES])) for k in range(5)]))
def test_any_text_is_read_or_refused(texts: Texts) -> None:
    read(texts)


def test_the_fuzz_would_see_an_evaluation(nothing_is_run: None) -> None:
    with pytest.raises(EvaluatedError):
        eval("1 + 1")


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5000 + "1" + ")" * 5000 + " = 1",
        "-" * 3000 + "1 = 1",
        "x[i]" + ".T" * 1900 + " = 1",
        "E[" * 90 + "x[i]" + "]" * 90 + " = 1",
        "1" + "+1" * (2 * MAX_LENGTH) + " = 1",
        "2**64**64**64 = 1",
        "tr(" + "W*" * (MAX_DEPTH * 20) + "W) = 1",
    ],
    ids=lambda text: text[:10],
)
@pytest.mark.usefixtures("nothing_is_run")
def test_size_and_depth_are_bounded(text: str) -> None:
    read((text, "", "", "walk", ""))


@pytest.mark.usefixtures("nothing_is_run")
def test_definitions_that_double_stay_small() -> None:
    """Each of 40 definitions is twice the one before: 2^40 nodes were they written out."""
    longer = "; ".join(
        [
            "a = tr(W)",
            *(f"a{k} = {'a' if k == 1 else f'a{k - 1}'} * {'a' if k == 1 else f'a{k - 1}'}" for k in range(1, 40)),
        ]
    )
    texts = ("a39 = 1", "", longer, "walk", "")
    assert read(texts) is None
    with pytest.raises(StatementError, match="over 20000 operations; define less"):
        proposition(*texts)


def test_an_error_stands_where_it_is() -> None:
    """A stray character in an example is pointed at, or at a place beside it."""
    seen = 0
    for text, known, where, law, limit in EXAMPLES:
        for at in range(0, len(text), 5):
            wrong = text[:at] + "$" + text[at:]
            with pytest.raises(StatementError) as caught:
                proposition(wrong, known, where, law, limit)
            assert caught.value.text in _forms(wrong) and caught.value.caret.count("\n") == 1
            seen += abs(caught.value.at - at) <= 12
    assert seen > 0


def decided(seeds: Iterator[int] | range) -> int:
    """How many statements were decided; an exception is a failure, and so is a limit that more than a few reach."""
    count, late = 0, []
    for seed in seeds:
        prop = read(drawn(seed))
        if prop is None or not prop.random:
            continue
        try:
            with time_limit(DECIDING):
                decide(prop, Derivation(prop))
            count += 1
        except StatementError as error:
            assert str(error).strip()
        except TimeLimitError:
            # a check is stopped by its own limit, and says so
            late.append((seed, drawn(seed)))
    assert len(late) <= count // 50, late
    return count


def test_what_is_read_is_decided_or_refused() -> None:
    assert decided(range(200)) > 20


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_is_run")
def test_thousands_of_statements_are_read_or_refused() -> None:
    fates = [read(drawn(seed)) is not None for seed in range(1000, 13000)]
    assert 800 < sum(fates) < 11000


@pytest.mark.slow
def test_a_thousand_that_are_read_are_decided_or_refused() -> None:
    assert decided(range(1000, 4000)) > 400
