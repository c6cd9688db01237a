"""A trained model on a text: what the theorems assume of its tokens, and what they predict of its heads beside what is.

The theorems of bao2024 are about tokens that are a random walk and about symmetric W_QK; how far a model is from that
comes first. A head's prediction is that of Eq. (6) as it is derived: rho(theta), for xi = tr(W Sigma)/sqrt(tr((W
Sigma)^2)) and eta = sqrt(tr((W Sigma)^2))/lambda with lambda = sqrt(n), at rotary distance 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import torch
from scipy import stats

from montecarlo.models.config import ModelError
from montecarlo.models.decoder import layers
from montecarlo.models.observe import growth, growth_in_words, heads, interval, traces
from montecarlo.models.tokens import encoded
from montecarlo.models.weights import Model
from proofs_check.report.curves.scores import RHO, evaluated, sides

SCHEMA = 1
#: Tokens of a window, at most; windows that intervals need at least, and the shortest ones.
WINDOW, FEWEST, SHORTEST = 128, 2, 17
#: Places theta = i/T at which rho is looked at.
PLACES = np.linspace(0, 1, 65)
#: What is compared over heads: the prediction, what is measured, and why they should go together.
COMPARED = (
    ("peak", "late", "where rho is largest, beside the mean place that is attended to"),
    ("eta", "concentration", "the scores' size, beside 1 - entropy over its largest value"),
    ("xi", "late", "the sign and size of the scores' drift, beside the mean place that is attended to"),
)

Rows = list[dict[str, Any]]


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
            raise ModelError(f"head {number}.{head}", f"layers 0 to {c.layers - 1} of heads 0 to {c.heads - 1}")
    windows = _windows(encoded(model, text), tokens, c.context)
    assumed: Rows = []
    found: Rows = []
    for layer in layers(model, torch.tensor(windows)):
        exponent = interval(growth(layer.before))
        assumed.append({"layer": layer.number, "growth": vars(exponent), "walk": growth_in_words(exponent)})
        seen, spectrum = heads(layer.probabilities), traces(layer.normed, layer.W_Q, layer.W_K)
        for head in range(c.heads):
            if chosen is None or (layer.number, head) in chosen:
                row = {
                    "layer": layer.number,
                    "head": head,
                    "concentration": 1 - float(seen.entropy[:, head].mean()),
                    "first": float(seen.first[:, head].mean()),
                    "previous": float(seen.previous[:, head].mean()),
                    "late": float(seen.late[:, head].mean()),
                    "symmetric": float(spectrum.symmetric[head]),
                }
                found.append(row | predicted(float(spectrum.first[head]), float(spectrum.second[head]), c.head_dim))
        step(layer.number + 1, c.layers)
    return {
        "schema": SCHEMA,
        "model": {"architecture": c.architecture, "layers": c.layers, "heads": c.heads, "width": c.width},
        "windows": len(windows),
        "length": len(windows[0]),
        "assumptions": assumed,
        "heads": found,
        "correlations": [_correlation(found, *pair) for pair in COMPARED],
    }


def _windows(found: Sequence[int], tokens: int, context: int) -> list[list[int]]:
    count = min(len(found), tokens)
    length = min(WINDOW, context, count // FEWEST)
    if length < SHORTEST:
        raise ModelError(
            f"a text of {count} tokens", f"{FEWEST * SHORTEST} or more", "give a longer text, or more --tokens"
        )
    return [list(found[k : k + length]) for k in range(0, count - length + 1, length)]


def predicted(first: float, second: float, head_dim: int) -> dict[str, float | None]:
    """xi, eta and the place theta where the derived rho is largest, of a head's traces tr(W Sigma), tr((W Sigma)^2).

    None where tr((W Sigma)^2) <= 0, as is possible for a W that is not symmetric: the theorem says nothing then.
    """
    traces = {"trace": first, "trace_of_square": second}
    if not second > 0:
        return {**traces, "xi": None, "eta": None, "peak": None}
    xi, eta = first / math.sqrt(second), math.sqrt(second / head_dim)
    rho = evaluated(sides(RHO, "rho").derived, theta=PLACES, xi=xi, eta=eta)
    return {**traces, "xi": xi, "eta": eta, "peak": float(PLACES[int(np.argmax(rho))])}


def _correlation(rows: Rows, left: str, right: str, what: str) -> dict[str, Any]:
    """Spearman's rank correlation over heads, and Fisher's interval of confidence 0.95, as if they were independent."""
    pairs = [(row[left], row[right]) for row in rows if row[left] is not None]
    named = {"predicted": left, "measured": right, "what": what, "heads": len(pairs)}
    if len(pairs) < 5 or len({a for a, _ in pairs}) < 2 or len({b for _, b in pairs}) < 2:
        return {**named, "rank_correlation": None, "low": None, "high": None}
    found = float(stats.spearmanr(*zip(*pairs, strict=True)).statistic)
    # the variance of Fisher's transform of a rank correlation is about 1.06/(n - 3)
    half = float(stats.norm.ppf(0.975)) * math.sqrt(1.06 / (len(pairs) - 3))
    middle = math.atanh(max(-0.999999, min(0.999999, found)))
    return {**named, "rank_correlation": found, "low": math.tanh(middle - half), "high": math.tanh(middle + half)}


def lines(found: dict[str, Any]) -> list[str]:
    """What was measured, in words: assumptions first, then the heads, then how well the predictions do."""
    model, layered = found["model"], found["assumptions"]
    size = f"{model['layers']} layers of {model['heads']} heads"
    out = [f"{found['windows']} windows of {found['length']} tokens; {model['architecture']}, {size}", ""]
    out.append("Assumed: the tokens before a layer are a random walk, E|x_(t+k) - x_t|^2 ~ k^a with a = 1")
    for row in layered:
        a = "a = {mean:.3f} in [{low:.3f}, {high:.3f}]".format(**row["growth"])
        out.append(f"  layer {row['layer']:>3}  {a}  {row['walk']}")
    out += ["", "layer.head   xi      eta     peak    late    concentration  first token  previous  symmetric share"]
    for row in found["heads"]:
        numbers = [_short(row[name], 8) for name in ("xi", "eta", "peak", "late")]
        others = [f"{row[name]:<{size}.3f}" for name, size in (("concentration", 15), ("first", 13), ("previous", 10))]
        place = f"{row['layer']}.{row['head']}"
        out.append(f"{place:<12} {''.join(numbers)}{''.join(others)}{row['symmetric']:.3f}")
    walks = sum(row["walk"].startswith("increments grow") for row in layered)
    out += ["", f"The tokens are a walk before {walks} of {len(layered)} layers. Over heads, predicted and measured:"]
    for row in found["correlations"]:
        value = row["rank_correlation"]
        told = "too few heads" if value is None else f"{value:.2f} in [{row['low']:.2f}, {row['high']:.2f}]"
        pair = f"{row['predicted']} and {row['measured']}"
        out.append(f"  {pair}: rank correlation {told} over {row['heads']} heads ({row['what']})")
    return out


def _short(value: float | None, size: int) -> str:
    return f"{'-' if value is None else format(value, '.3g'):<{size}}"
