"""A trained model on a text: what the theorems assume of its tokens, and what they predict of its heads beside what is.

The windows of the text go through the layers a batch at a time, and what is kept of them are sums: the memory is that
of one layer's weights, one batch, and of sums whose number does not grow with the text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from montecarlo.models.config import Config, ModelError
from montecarlo.models.decoder import Layer, layers
from montecarlo.models.laws import (
    ASSUMPTIONS,
    GROUPS,
    ROUNDING,
    Named,
    Sums,
    assumption,
    beta,
    contexts,
    mean_of,
    of_layer,
)
from montecarlo.models.observe import PLACES, inner, of_heads, sizes, traces
from montecarlo.models.sinks import Sinks, sinks
from montecarlo.models.tokens import encoded
from montecarlo.models.weights import Model
from proofs_check.measure import predictions
from proofs_check.measure.correlations import correlations

SCHEMA = 4
#: Tokens of a window, at most; windows that intervals need at least, and the shortest ones.
WINDOW, FEWEST, SHORTEST = 128, 2, 17
#: Windows that go through the layers together, and those (the first ones) whose sinks are certified.
BATCH, CERTIFIED = 16, 8
#: Tokens of the first window whose attention is kept to be drawn.
DRAWN = 64
#: What is kept of the heads as means over windows.
MEANS = ("first", "previous", "own", "late", "last entropy", "bound", "printed", "refuted", "missed", "distance", "far")

Rows = list[dict[str, Any]]


@dataclass
class _Held:
    """What is held of one layer: sums over windows of its tokens and heads, and what its weights and sinks say."""

    tokens: Sums
    heads: Sums
    inner: Tensor
    sizes: tuple[Tensor, Tensor]
    sinks: Sinks
    shown: Tensor = field(repr=False)


def measured(
    model: Model,
    text: str,
    tokens: int,
    only: Iterable[tuple[int, int]] | None = None,
    step: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Any]:
    """What is measured on the first ``tokens`` tokens of a text, of JSON's own types; ``only`` these (layer, head).

    Raises ModelError for a text that is too short and for heads that the model does not have.
    """
    chosen = None if only is None else set(only)
    c = model.config
    for number, head in sorted(chosen or ()):
        if not (0 <= number < c.layers and 0 <= head < c.heads):
            raise ModelError(
                f"{number}.{head}",
                f"layers 0 to {c.layers - 1} of heads 0 to {c.heads - 1}",
                "name heads that the model has",
                "heads",
            )
    windows = torch.tensor(_windows(_first(model, text, tokens), tokens, c.context))
    count, length = windows.shape
    held = _through(model, windows, step)
    increments = count * (length - 2)
    assumed: Rows = []
    layered: Rows = []
    found: Rows = []
    for number, layer in enumerate(held):
        for name, law in ASSUMPTIONS.items():
            estimate, words = assumption(name, layer.tokens)
            told = {"paper": law.paper, "what": law.what, "under": law.under, "holds": law.verdict(estimate)}
            assumed.append({"layer": number, "name": name, **told, **_numbers(vars(estimate)), "words": words})
        layered.append({"layer": number, **_layer(layer, c, length)})
        for row in _heads(layer, c, length, increments, layered[-1]["least_norm"]):
            if chosen is None or (number, row["head"]) in chosen:
                found.append({"layer": number, **row})
    shape = {name: getattr(c, name) for name in ("architecture", "layers", "heads", "width", "head_dim")}
    return {
        "schema": SCHEMA,
        "model": {"name": model.path.name, **shape},
        "windows": count,
        "length": length,
        "groups": min(count, GROUPS),
        "certified": windows[:CERTIFIED].tolist(),
        "assumptions": assumed,
        "layers": layered,
        "heads": found,
        "patterns": _patterns(found, held),
        "correlations": correlations(found, assumed),
    }


def _first(model: Model, text: str, tokens: int) -> Sequence[int]:
    """The first tokens of a text, reading no more of it than is needed."""
    size = 16 * tokens
    while True:
        found = encoded(model, text[:size])
        # the last token may be cut
        if len(found) > tokens or size >= len(text):
            return found
        size *= 2


def _windows(found: Sequence[int], tokens: int, context: int) -> list[list[int]]:
    count = min(len(found), tokens)
    length = min(WINDOW, context, count // FEWEST)
    if length < SHORTEST:
        raise ModelError(
            f"a text of {count} tokens", f"{FEWEST * SHORTEST} or more", "give a longer text, or more --tokens", "text"
        )
    return [list(found[k : k + length]) for k in range(0, count - length + 1, length)]


def _through(model: Model, windows: Tensor, step: Callable[[int, int], None]) -> list[_Held]:
    """All windows through all layers, a batch at a time."""
    count = len(windows)
    groups = min(count, GROUPS)
    group = torch.arange(count) * groups // count
    held: list[_Held] = []
    batches = [slice(start, start + BATCH) for start in range(0, count, BATCH)]
    for turn, batch in enumerate(batches):
        for layer in layers(model, windows[batch]):
            with torch.no_grad():
                if not turn:
                    held.append(_begun(layer, groups))
                now, some = held[layer.number], group[batch]
                tokens, heads = of_layer(layer), _with_bounds(of_heads(layer))
                _check(f"layer {layer.number} of {model.path.name}", tokens, heads)
                now.tokens.add(some, tokens)
                now.heads.add(some, heads)
                now.inner += inner(layer.normed[:, 1:], layer.W_Q, layer.W_K)
            step(turn * model.config.layers + layer.number + 1, len(batches) * model.config.layers)
    return held


def _check(where: str, tokens: Named, heads: Named) -> None:
    """Raise ModelError where there is nothing to compare: tokens that are all 0, or what heads do beyond float32."""
    if not all(bool((tokens[name] > 0).all()) for name in ("square", "own")):
        raise ModelError(f"the tokens that {where} reads", "numbers that are neither all 0 nor so large that a norm is")
    if not all(bool(torch.isfinite(values).all()) for values in heads.values()):
        raise ModelError(f"what the heads of {where} do", "finite numbers; they overflow")


def _begun(layer: Layer, groups: int) -> _Held:
    _, H, _, n = layer.values.shape
    start = torch.zeros(3, H, n, n, dtype=torch.float64)
    symmetric, norm = (value.cpu() for value in sizes(layer.W_Q, layer.W_K))
    shown = layer.probabilities[0, :, :DRAWN, :DRAWN].cpu()
    return _Held(Sums(groups), Sums(groups), start, (symmetric, norm), sinks(layer.normed[:CERTIFIED]), shown)


def _with_bounds(found: dict[str, Tensor]) -> dict[str, Tensor]:
    """What was measured, and beside it the bounds of the theorems at the last query."""
    keys = int(found.pop("keys")) - 1
    least, printed = predictions.entropy_bounds(found.pop("norm").cpu().numpy(), keys + 1)
    margin, radius = (found.pop(name).cpu().double().numpy() for name in ("margin", "radius"))
    far = predictions.switch_bound(margin, radius, keys)
    entropy = found["last entropy"].cpu()
    below = {"refuted": entropy < torch.from_numpy(printed), "missed": entropy < torch.from_numpy(least) - ROUNDING}
    bounds = {"bound": least, "printed": printed, "far": far}
    told = {name: torch.from_numpy(value) for name, value in bounds.items()}
    return found | told | below | {"windows": torch.ones(len(entropy))}


def _layer(held: _Held, c: Config, length: int) -> dict[str, Any]:
    """A layer's tokens: how alike they are, the ratio of expectations beside it, and what sink they allow.

    ``least_norm`` is that of one W_QK that gives the first token half of every query's attention in all certified
    windows: the margin ln(T - 1), all their keys visible.
    """
    tokens, sink = held.tokens, held.sinks
    average = {name: float(tokens.of(mean_of(name))) for name in ("spread", "sink cosine", "sink low", "sink high")}
    ends = dict(zip(("mean", "low", "high"), map(float, tokens.interval(mean_of("cosine"))), strict=True))
    least = predictions.least_norm(math.log(length - 1), c.head_dim, *sink.rho) if sink.rho else None
    return {
        "cosine": _numbers(ends),
        "ratio": _short(float(tokens.of(mean_of("ratio")))),
        "bound": _short(predictions.cosine_bound(average["spread"])),
        "read_cosine": _short(float(tokens.of(mean_of("read cosine")))),
        "contexts": _contexts(tokens, length - 1),
        "sink_cosine": _numbers({name: average[f"sink {name}"] for name in ("cosine", "low", "high")}),
        "beta": _short(float(tokens.of(beta))),
        "representable": sink.windows(True),
        "excluded": sink.windows(False),
        "together": sink.together,
        "certificates": [one.as_json() for one in sink.certificates],
        **_numbers(dict(zip(("rho_Q", "rho_K"), sink.rho or (None, None), strict=True))),
        "least_norm": None if least is None else _short(least),
    }


def _contexts(tokens: Sums, k: int) -> dict[str, Any]:
    """The average cosine and its approximation over the first k/4, k/2 and k tokens, the very first one left out."""
    cosines = tokens.of(mean_of("context cosine")).tolist()
    ratios = tokens.of(mean_of("context ratio")).tolist()
    return {"tokens": contexts(k), **_numbers({"cosine": cosines, "ratio": ratios})}


#: The parts of an attention step whose tokens' average cosine is given, and what they are summed as.
STEPS = {
    "WZ": "written identity",
    "WZA": "written attended",
    "WZU": "written even",
    "X + WZ": "identity",
    "X + WZA": "attended",
    "X + WZU": "even",
}


def _heads(held: _Held, c: Config, length: int, increments: int, least: float | None) -> Rows:
    """One row a head: what is derived from its weights and its tokens, and what it does."""
    distances = torch.tensor([round((1 - theta) * (length - 1)) for theta in predictions.THETAS] + [0.0])
    found = traces(held.inner / increments, c.rotary.speeds(length), distances)
    mean = {name: held.heads.of(mean_of(name)) for name in held.heads.held if name != "windows"}
    changes = {
        name: held.heads.interval(_change(*pair))
        for name, pair in (("attended", ("attended", "identity")), ("even", ("even", "attended")))
    }
    scale, square = float(held.tokens.of(beta)), float(held.tokens.of(mean_of("square")))
    rows: Rows = []
    for head in range(c.heads):
        of = {name: value[head] for name, value in mean.items()}
        first, second = found.first[head].tolist(), found.second[head].tolist()
        norm = float(held.sizes[1][head])
        values = {
            **predicted(first, second, c.head_dim),
            "symmetric": float(held.sizes[0][head]),
            "concentration": 1 - float(of["entropy"]),
            **{name: float(of[name]) for name in MEANS},
            "profile": of["profile"].tolist(),
            "propagated": of["propagated"].tolist(),
            "passes": float(of["propagated"].mean()),
            "localised": predictions.localised(of["profile"].tolist()),
            "norm": norm,
            "room": None if least is None else norm / least,
            **_switch(of),
            **predictions.on_the_map(scale, float(of["t1"]), float(of["t2"]), float(of["tB"]), square),
            "change": float(of["even"] - of["identity"]),
            "ratio": float(of["ratio"]),
        }
        row = {"head": head, **_numbers(values), "eigenvalues": _numbers(_spectrum(found.eigenvalues[head]))}
        row["cosines"] = _numbers({name: float(of[key]) for name, key in STEPS.items()})
        for name, (middle, low, high) in changes.items():
            ends = {"mean": middle, "low": low, "high": high}
            row[f"change_{name}"] = _numbers({key: float(end[head]) for key, end in ends.items()})
        rows.append(row)
    return rows


def _change(last: str, first: str) -> Callable[[Named], Tensor]:
    return lambda sums: (sums[last] - sums[first]) / sums["windows"]


def predicted(first: Sequence[float], second: Sequence[float], head_dim: int) -> dict[str, Any]:
    """What Eq. (6), as derived, says of a head's traces tr(W Sigma) and tr((W Sigma)^2).

    Of each as many numbers as PLACES, at the rotary distance of each place from the last query, then one at distance
    0, which xi and eta are of. ``peak`` is the place where rho is largest. All None where a second trace is 0.
    """
    found = {"trace": first[-1], "trace_of_square": second[-1]}
    rho = predictions.rho(first[:-1], second[:-1], head_dim)
    if rho is None:
        names = ("xi", "eta", "rho", "peak", "passing", "localised_rho")
        return found | dict.fromkeys(names)
    xi, eta = predictions.parameters(first[-1], second[-1], head_dim) or (None, None)
    peak = float(predictions.THETAS[rho.index(max(rho))])
    more = {"passing": sum(rho) / PLACES, "localised_rho": predictions.localised(rho)}
    return found | {"xi": xi, "eta": eta, "rho": rho, "peak": peak} | more


def _switch(of: Named) -> dict[str, Any]:
    """What a head writes where it attends to the sink and elsewhere, over the mean size of what it could write."""
    value = of["value"]
    on, off = of["on"], of["off"]
    return {
        "sinks": float(on / (on + off)),
        "writes_on": float(of["written on"] / on / value) if on > 0 else None,
        "writes_off": float(of["written off"] / off / value) if off > 0 else None,
        "sink_value": float(of["sink value"] / value),
    }


def _spectrum(values: Tensor) -> dict[str, Any]:
    order = values.abs().argsort(descending=True)
    return {"real": values.real[order].tolist(), "imaginary": values.imag[order].tolist()}


#: Heads whose attention is drawn: the largest by each of these.
EXTREMES = {
    "first": "most to the first token",
    "previous": "most to the token before",
    "own": "most to itself",
    "concentration": "most concentrated",
    "even": "most even",
    "change": "makes tokens most alike",
}


def _patterns(rows: Rows, held: list[_Held]) -> Rows:
    """The attention of the most extreme heads on the first tokens of the first window, each head once."""
    found: Rows = []
    taken: set[tuple[int, int]] = set()
    for name, words in EXTREMES.items():
        sign, key = (-1, "concentration") if name == "even" else (1, name)
        free = [row for row in rows if (row["layer"], row["head"]) not in taken]
        if not free:
            break
        best = max(free, key=lambda row: sign * row[key])
        place = (best["layer"], best["head"])
        taken.add(place)
        shares = [[round(value, 4) for value in line] for line in held[place[0]].shown[place[1]].tolist()]
        told = {key: best[key] for key in ("rho", "propagated", "profile")}
        found.append({"layer": place[0], "head": place[1], "what": words, "attention": shares, **told})
    return found


def _short(value: float) -> float | None:
    """Six digits; None for what is no number."""
    return float(f"{value:.6g}") if math.isfinite(value) else None


def _numbers(values: dict[str, Any]) -> dict[str, Any]:
    """The numbers of a row in six digits."""
    short: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, list):
            short[name] = [_short(entry) for entry in value]
        else:
            short[name] = _short(value) if isinstance(value, float) else value
    return short
