"""What is measured on a model: planted laws and heads, the same for every batch, nothing written on errors."""

from __future__ import annotations

import json
import math
import operator
import random
from dataclasses import replace
from fractions import Fraction
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import torch

from figures import MODEL_FIGURES, load
from montecarlo.models.config import ModelError, of_json
from montecarlo.models.decoder import layers
from montecarlo.models.laws import assumption
from montecarlo.models.sinks import Certificate
from montecarlo.models.weights import Model
from proofs_check.commands import cli
from proofs_check.measure import measured as measure
from proofs_check.measure.correlations import rank
from proofs_check.measure.telling import lines, span
from tests.montecarlo.models.small import CONFIG, weights, written
from tests.montecarlo.models.test_observe import planted

TOKENS = [random.Random(k).randrange(50) for k in range(400)]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Model:
    """A small model whose tokenizer gives one of TOKENS for every letter."""
    tensors = weights(CONFIG)
    model = Model(Path("small"), of_json(CONFIG), frozenset(tensors), tensors.__getitem__, {})
    monkeypatch.setattr(measure, "encoded", lambda model, text: TOKENS[: len(text)])
    monkeypatch.setattr("montecarlo.models.weights.opened", lambda path: model)
    return model


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    """What is measured on that model."""
    tensors = weights(CONFIG)
    model = Model(Path("small"), of_json(CONFIG), frozenset(tensors), tensors.__getitem__, {})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measure, "encoded", lambda model, text: TOKENS[: len(text)])
        return measure.measured(model, "a" * 400, 400)


def of_table(table: torch.Tensor) -> Model:
    """A model of one layer whose token number t has the row t of the table as its embedding."""
    config = CONFIG | {"vocab_size": len(table), "num_hidden_layers": 1}
    tensors = weights(config) | {"model.embed_tokens.weight": table}
    return Model(Path("table"), of_json(config), frozenset(tensors), tensors.__getitem__, {})


@pytest.mark.parametrize("walk", [True, False])
def test_a_planted_law_is_recovered(walk: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A random walk meets what bao2024 assumes and not what lampert2026 does, i.i.d. tokens the reverse."""
    count = 32 * 128
    monkeypatch.setattr(measure, "encoded", lambda model, text: range(count))
    # intervals of this confidence hold all of the numbers at once
    monkeypatch.setattr(measure, "assumption", lambda name, sums: assumption(name, sums, 1e-4))
    table = torch.randn(count, 24, generator=torch.Generator().manual_seed(11))
    found = measure.measured(of_table(table.cumsum(0) if walk else table), "a" * count, count)
    holds = {row["name"]: row["holds"] for row in found["assumptions"]}
    assert holds["growth"] is walk and holds["kurtosis"] and holds["covariance"]
    assert holds["neighbours"] is not walk
    # how far a walk drifts in 32 windows says little
    assert walk or (holds["drift"] and holds["norms"])


def test_the_ratio_is_as_near_as_derived_where_windows_differ_in_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Norms are equal in each of two windows, and tokens of one are a hundred times as long and more alike."""
    monkeypatch.setattr(measure, "encoded", lambda model, text: range(256))
    table = torch.randn(256, 24, generator=torch.Generator().manual_seed(12))
    table[:128] += 3
    table = torch.nn.functional.normalize(table, dim=-1)
    table[:128] *= 100
    (layer,) = measure.measured(of_table(table), "a" * 256, 256)["layers"]
    assert abs(layer["cosine"]["mean"] - layer["ratio"]) <= layer["bound"] + 1e-5
    assert layer["contexts"]["ratio"] == pytest.approx(layer["contexts"]["cosine"], abs=1e-5)


def test_the_same_token_again_and_again_is_told_as_that(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "encoded", lambda model, text: [7] * 80)
    text = lines(measure.measured(of_table(torch.ones(50, 24)), "a" * 80, 80))
    assert sum("undecided: tokens do not differ" in line for line in text) == 2
    assert not any("nan" in line for line in text)


def test_planted_heads_are_recovered(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sink head and an even one: what is measured, what is predicted, and the picture of the sink."""
    monkeypatch.setattr(measure, "encoded", lambda model, text: [0, *range(3, 19)] * 2)
    monkeypatch.setattr(measure, "WINDOW", 17)
    found = measure.measured(planted(), "a" * 34, 34)
    even, sink = found["heads"][0], found["heads"][1]
    assert sink["first"] > 0.99 and sink["sinks"] == 1 and sink["writes_off"] is None
    assert even["concentration"] == pytest.approx(0, abs=1e-6) and even["late"] == pytest.approx(0.5)
    assert even["profile"] == pytest.approx([1.0] * 16) and even["localised"] == pytest.approx(0, abs=1e-6)
    # its scores are all 0, which is no vector of positive norm
    assert even["rho"] is None and even["norm"] == 0 and even["bound"] == pytest.approx(even["last entropy"])
    # tokens but the first are one point, off which the first lies: certified
    layer = found["layers"][0]
    assert layer["together"] is True and layer["excluded"] == 0
    least = math.log(16) * math.sqrt(found["model"]["head_dim"]) / (layer["rho_Q"] * layer["rho_K"])
    assert layer["least_norm"] == pytest.approx(least, rel=1e-4)
    assert sink["room"] == pytest.approx(sink["norm"] / least, rel=1e-4)
    drawn = {row["what"]: (row["layer"], row["head"]) for row in found["patterns"]}
    assert drawn["most to the first token"] == (0, 1)


def test_the_certificates_of_the_report_are_of_the_models_own_tokens(found: dict[str, Any]) -> None:
    """By the definition, in fractions: u . z_t > 0 and v . (z_0 - z_t) > 0, or weights that make 0 of one of them."""
    tensors = weights(CONFIG)
    model = Model(Path("small"), of_json(CONFIG), frozenset(tensors), tensors.__getitem__, {})
    told = json.loads(json.dumps(found))
    seen = set()
    for layer, row in zip(layers(model, torch.tensor(told["certified"])), told["layers"], strict=True):
        windows = [number for one in row["certificates"] for number in one["windows"]]
        assert sorted(windows) == list(range(row["representable"] + row["excluded"]))
        for one in row["certificates"]:
            seen.add(one["representable"])
            for window in one["windows"]:
                z = [[Fraction(value) for value in token] for token in layer.normed[window].tolist()]
                gaps = [[a - b for a, b in zip(z[0], token, strict=True)] for token in z[1:]]
                for vectors, given in ((z[1:], one.get("queries")), (gaps, one.get("keys"))):
                    if isinstance(given, list):
                        assert all(sum(map(operator.mul, given, v)) > 0 for v in vectors)
                    elif given is not None:
                        weighted = {int(t): Fraction(value) for t, value in given.items()}
                        assert sum(weighted.values()) == 1 and min(weighted.values()) > 0
                        assert not any(sum(w * vectors[t - 1][c] for t, w in weighted.items()) for c in range(24))
            assert Certificate.of_json(one, told["length"]).holds(layer.normed)
            assert one["representable"] == ({list} == {type(one.get("queries")), type(one.get("keys"))})
    assert False in seen


def test_the_batch_does_not_matter(small: Model, found: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "BATCH", 2)
    monkeypatch.setattr(measure, "CERTIFIED", 2)
    told: list[tuple[int, int]] = []
    again = measure.measured(small, "a" * 400, 400, step=lambda done, total: told.append((done, total)))
    assert told == [(done, 4) for done in (1, 2, 3, 4)]
    for one, other in zip(found["heads"], again["heads"], strict=True):
        for name in ("xi", "eta", "late", "bound", "lean", "change"):
            assert one[name] == pytest.approx(other[name], rel=1e-4)
    for one, other in zip(found["assumptions"], again["assumptions"], strict=True):
        assert one["words"] == other["words"] and one["mean"] == pytest.approx(other["mean"], rel=1e-3, abs=1e-4)


def test_no_more_of_a_text_is_read_than_is_needed(small: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def encoded(model: Model, text: str) -> list[int]:
        asked.append(len(text))
        return TOKENS[: len(text) // 20]

    monkeypatch.setattr(measure, "encoded", encoded)
    assert len(measure._first(small, "a" * 100_000, 40)) > 40
    assert asked == [640, 1280]


def test_only_the_heads_that_are_asked_for(small: Model) -> None:
    found = measure.measured(small, "a" * 80, 80, [(1, 3)])
    assert [(row["layer"], row["head"]) for row in found["heads"]] == [(1, 3)]
    assert any(line.startswith("1.3 ") for line in lines(found))


def test_numbers_of_the_table_stand_apart(found: dict[str, Any]) -> None:
    row = found["heads"][0] | {"change": -0.000413, "symmetric": 0.552, "xi": -0.000819}
    table = [line for line in lines(found | {"heads": [row]}) if line.startswith(("layer.head", "0.0 "))]
    assert table[0].index("change") == table[1].index("-0.000413 ") and table[1].endswith(" 0.552")


def test_failing_hypotheses_stand_before_the_number(found: dict[str, Any]) -> None:
    rows = {row["predicted"]: row for row in found["correlations"]}
    assert any("random walk" in words and "not before 2 of 2" in words for words in rows["peak"]["fails"])
    assert rows["bound"]["fails"] == []
    text = "\n".join(lines(found))
    place = text.index("not before 2 of 2 layers")
    assert text.index("a random walk") < text.index("layer.head") < place < text.index("peak and late")


def test_a_rank_correlation_and_its_interval() -> None:
    rows: Any = [{"xi": float(k), "late": float(k) ** 3, "eta": float(-k)} for k in range(30)]
    found = rank(rows, "xi", "late", "")
    assert found["rank_correlation"] == pytest.approx(1) and found["low"] > 0.9
    assert rank(rows, "eta", "late", "")["high"] < -0.9
    random.Random(0).shuffle(values := [row["late"] for row in rows])
    shuffled = [row | {"late": value} for row, value in zip(rows, values, strict=True)]
    none = rank(shuffled, "xi", "late", "")
    assert none["low"] < 0 < none["high"]
    assert rank(rows[:4], "xi", "late", "")["rank_correlation"] is None


@pytest.mark.parametrize(("n", "slope"), [(5, 0.9), (300, 0.9), (300, 0.0)])
def test_an_interval_of_a_rank_correlation_covers_as_often_as_it_says(n: int, slope: float) -> None:
    """Of normal pairs, whose rank correlation is 6/pi arcsin(slope/2); five in perfect order are no proof of 1."""
    generator = torch.Generator().manual_seed(2)
    missed = 0
    for _ in range(400):
        x, other = torch.randn(2, n, generator=generator)
        y = slope * x + math.sqrt(1 - slope**2) * other
        rows: Any = [{"xi": a, "late": b} for a, b in zip(x.tolist(), y.tolist(), strict=True)]
        told = rank(rows, "xi", "late", "")
        assert told["low"] <= told["rank_correlation"] <= told["high"]
        missed += not told["low"] <= 6 / math.pi * math.asin(slope / 2) <= told["high"]
    # 20 expected at most, standard deviation 4.4; three of them
    assert missed <= 33


def test_layers_in_words() -> None:
    assert span([3]) == "layer 3" and span([0, 1, 2, 7, 9, 10]) == "layers 0-2, 7, 9-10"


def test_the_command_writes_numbers_and_a_page(
    small: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text").write_text("a" * 80)
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("a report")
    assert cli.main(["measure", "small", "--text", "text", "--json", "m.json", "--html", "site"]) == 0
    assert "site/models/small.html" in capsys.readouterr().out
    found = json.loads(Path("m.json").read_text())
    assert (found["windows"], found["length"], len(found["heads"])) == (2, 40, 8)
    page = (tmp_path / "site/models/small.html").read_text()
    assert page.index("What the theorems assume") < page.index("What they predict") < page.index("as predictors")
    assert 'href="../index.html"' in page and page.count("<img ") == 8
    for name in ("model_heads.png", "model_signs.svg", "model_patterns.csv", "model_spectra.json"):
        assert f"small/{name}" in page and (tmp_path / "site/models/small" / name).is_file()
    assert (tmp_path / "site/assets/style.css").is_file()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--heads", "7.0"], "--heads '7.0': expected layers 0 to 1 of heads 0 to 3; name heads that the model has\n"),
        (["--heads", "3"], "LAYER.HEAD"),
        (["--tokens", "0"], "a whole number"),
        (["--tokens", "33"], "--text 'a text of 33 tokens': expected 34 or more"),
        (["--text", "none"], "No such file"),
        (["--text", "bytes"], "UTF-8 text"),
        (["--html", "text"], "another file"),
        (["--html", "bytes"], "is a file"),
        (["--json", "text"], "another file"),
    ],
)
def test_bad_input_is_one_line(
    options: list[str],
    told: str,
    small: Model,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text").write_text("a" * 80)
    Path("bytes").write_bytes(b"\xff\xfe\xff")
    assert cli.main(["measure", "small", "--text", "text", "--json", "out.json", "--html", "site", *options]) == 2
    error = capsys.readouterr().err
    assert told in error and error.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bytes", "text"]


@pytest.mark.parametrize(
    ("name", "factor", "told"),
    [
        ("model.layers.1.mlp.up_proj.weight", math.nan, "model.layers.1.mlp.up_proj.weight"),
        ("model.layers.0.self_attn.v_proj.weight", math.nan, "NaN"),
        # in itself a number, which makes tokens that are none
        ("model.layers.0.self_attn.v_proj.weight", 1e38, "after layer 0 of small': expected finite numbers"),
        ("model.layers.1.mlp.down_proj.weight", 1e38, "after layer 1"),
    ],
)
def test_weights_that_are_no_numbers_are_one_line(
    name: str,
    factor: float,
    told: str,
    small: Model,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """They are seen where the layer is reached, before anything is written."""
    broken = replace(small, read=lambda key: small.read(key) * (factor if key == name else 1))
    monkeypatch.setattr("montecarlo.models.weights.opened", lambda path: broken)
    monkeypatch.chdir(tmp_path)
    Path("text").write_text("a" * 80)
    assert cli.main(["measure", "small", "--text", "text", "--json", "out.json", "--html", "site"]) == 2
    error = capsys.readouterr().err
    assert told in error and error.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["text"]


def test_a_text_that_is_too_short(small: Model) -> None:
    with pytest.raises(ModelError, match="34 or more"):
        measure.measured(small, "a" * 20, 1000)


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        ("none", "a folder with config.json"),
        ("foreign", "does not begin as GGUF does"),
        ("empty", "with config.json"),
        ("gpt2", "one of llama, mistral, qwen2; measure another model, or add this one as docs/measure.md tells\n"),
        ("biased", "o_proj.bias': expected the tensors of llama alone; measure another model, or add what"),
        ("pickle", "never opened"),
        ("truncated", "a whole safetensors file"),
        ("wordless", "tokenizer"),
    ],
)
def test_a_model_that_cannot_be_read_is_one_line(
    broken: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("safetensors")
    monkeypatch.chdir(tmp_path)
    Path("text").write_text("a" * 80)
    folder = tmp_path / broken
    if broken == "foreign":
        folder.write_bytes(b"PK\x03\x04")
    elif broken != "none":
        more = {"model.layers.0.self_attn.o_proj.bias": torch.zeros(24)} if broken == "biased" else {}
        written(folder, CONFIG | ({"model_type": "gpt2"} if broken == "gpt2" else {}), weights(CONFIG) | more)
        file = folder / "model.safetensors"
        if broken == "empty":
            (folder / "config.json").unlink()
        elif broken == "pickle":
            file.rename(folder / "pytorch_model.bin")
        elif broken == "truncated":
            file.write_bytes(file.read_bytes()[:-10])
    before = sorted(tmp_path.rglob("*"))
    assert cli.main(["measure", broken, "--text", "text", "--json", "out.json", "--html", "site"]) == 2
    error = capsys.readouterr().err
    assert told in error and error.count("\n") == 1
    assert sorted(tmp_path.rglob("*")) == before


def test_planted_patterns_are_those_of_the_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sink, a diagonal and a previous-token head, on windows too short for their rotary pair to come round."""
    # windows of 17 tokens are the shortest; head 2 and 3 turn by a radian a token, so that some keys come round again
    monkeypatch.setattr(measure, "encoded", lambda model, text: [0, *range(3, 19)] * 2)
    monkeypatch.setattr(measure, "WINDOW", 17)
    found = measure.measured(planted(), "a" * 34, 34)
    drawn = load("model_components").data(found)["heads"]
    assert [row["pattern"] for row in drawn] == ["none", "sink", "token before", "diagonal"]
    # the first token aside all tokens are one point, which attention leaves alike
    assert drawn[0]["cosines"]["X"] == pytest.approx(1) and drawn[1]["cosines"]["WZA"] == pytest.approx(1, abs=1e-3)


def test_the_tables_hold_what_is_drawn(found: dict[str, Any]) -> None:
    """Every figure's data is JSON, and its table has a row for each head, layer or comparison."""
    rows = {name: load(name) for name in MODEL_FIGURES}
    counts = {}
    for name, module in rows.items():
        drawn = json.loads(json.dumps(module.data(found), allow_nan=False))
        assert drawn["figure"] == name and drawn["where"]
        counts[name] = len(module.table(drawn))
    assert counts["model_assumptions"] == 2 * 9 and counts["model_cosines"] == 2
    assert counts["model_heads"] == counts["model_components"] == counts["model_signs"] == counts["model_spectra"] == 8
    assert counts["model_correlations"] == sum(row["heads"] for row in found["correlations"])
    assert counts["model_patterns"] == 6 * 64 * 65 // 2


def changed(part: str, factor: float) -> Model:
    """A model the weights of whose part are multiplied by a factor."""
    tensors = {name: value * factor if part in name else value for name, value in weights(CONFIG).items()}
    return Model(Path("changed"), of_json(CONFIG), frozenset(tensors), tensors.__getitem__, {})


@pytest.mark.parametrize(("part", "factor"), [("v_proj", 0), ("q_proj", 0), ("q_proj", 1e25)])
def test_heads_that_do_nothing_or_much_are_told_and_drawn(
    part: str, factor: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measure, "encoded", lambda model, text: TOKENS[: len(text)])
    found = measure.measured(changed(part, factor), "a" * 68, 68)
    assert lines(found) and json.dumps(found, allow_nan=False)
    for name in ("model_correlations", "model_signs", "model_spectra"):
        module = load(name)
        module.draw(json.loads(json.dumps(module.data(found)))).savefig(BytesIO(), format="svg")


@pytest.mark.parametrize(
    ("part", "factor"),
    [("embed", 0), ("embed", 1e25), ("", 1e20), ("v_proj", 1e18), ("o_proj", 1e37), ("input_layernorm", 0)],
)
def test_tokens_and_heads_beyond_the_range_of_numbers_are_told(
    part: str, factor: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measure, "encoded", lambda model, text: TOKENS[: len(text)])
    with pytest.raises(ModelError, match=r"overflow|neither all 0"):
        measure.measured(changed(part, factor), "a" * 68, 68)
