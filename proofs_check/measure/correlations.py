"""How well the theorems predict over the heads of a model: rank correlations, and first which hypotheses fail."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from scipy import stats

from montecarlo.models.laws import ASSUMPTIONS

#: What is compared over heads: the paper, the prediction, what is measured, and why they should go together.
COMPARED = (
    ("bao2024", "peak", "late", "where rho is largest, beside the mean place that is attended to"),
    ("bao2024", "passing", "passes", "the mean of rho, beside the share of keys that pass the linearised softmax"),
    ("bao2024", "localised_rho", "localised", "how local rho is over positions, beside the attention's own profile"),
    ("bao2024", "eta", "concentration", "the scores' size, beside 1 - entropy over its largest value"),
    ("bao2024", "xi", "late", "the scores' drift, beside the mean place that is attended to"),
    (
        "bao2024",
        "bound",
        "last entropy",
        "the least entropy at the scores' norm, beside the entropy that it bounds",
    ),
    ("lampert2026", "room", "first", "|W_QK| over the least norm of a sink, beside the share of the first token"),
    ("lampert2026", "sink_value", "writes_on", "the sink's value, beside what is written where it is attended to"),
    ("lampert2026", "lean", "change", "2 beta tr(BW) + tr(BW^TW), beside the cosine's change from no mixing to even"),
)
#: Hypotheses of a comparison that a look at the tokens decides; the others have none.
ASSUMED = {
    **dict.fromkeys(("peak", "passing", "localised_rho", "eta", "xi"), ("growth", "kurtosis", "covariance")),
    "lean": ("neighbours", "drift", "norms", "scaled"),
}
#: What a comparison assumes of the model, and no model here has.
ALSO = {
    **dict.fromkeys(
        ("peak", "passing", "localised_rho", "eta", "xi"),
        "W_QK is symmetric: its symmetric part holds {symmetric:.2f} of |W_QK|², 0.5 for a random one",
    ),
    "room": "scores without positions: here they turn with the distance",
    "lean": "averages over all tokens: here over the earlier ones",
}

#: What the numbers are called where there is room for a few words.
WORDS = {
    "peak": "place of largest ρ",
    "late": "mean place attended to",
    "passing": "mean of ρ",
    "passes": "share of keys that pass",
    "localised_rho": "localisation of ρ",
    "localised": "localisation of attention",
    "eta": "η",
    "concentration": "1 − entropy/largest",
    "xi": "ξ",
    "bound": "least entropy [nats]",
    "last entropy": "entropy [nats]",
    "room": "|W_QK| over a sink's least norm",
    "first": "share of the first token",
    "sink_value": "the first token's value, relative",
    "writes_on": "written at the sink, relative",
    "lean": "lean to alikeness",
    "change": "change of the cosine",
}

Rows = Sequence[dict[str, Any]]


def correlations(heads: Rows, assumed: Rows) -> list[dict[str, Any]]:
    """Every comparison of COMPARED, with what fails of its hypotheses."""
    return [
        {"paper": paper, **rank(heads, left, right, what), "fails": _failing(left, heads, assumed)}
        for paper, left, right, what in COMPARED
    ]


def _failing(left: str, heads: Rows, assumed: Rows) -> list[str]:
    """The hypotheses of a comparison that do not hold, in words."""
    told = []
    for name in ASSUMED.get(left, ()):
        rows = [row for row in assumed if row["name"] == name]
        failed, open_ = (sum(row["holds"] is verdict for row in rows) for verdict in (False, None))
        parts = [f"{word} before {count}" for word, count in (("not", failed), ("undecided", open_)) if count]
        if parts:
            told.append(f"{ASSUMPTIONS[name].what}: {', '.join(parts)} of {len(rows)} layers")
    shares = [row["symmetric"] for row in heads if row["symmetric"] is not None]
    if left in ALSO and shares:
        told.append(ALSO[left].format(symmetric=sum(shares) / len(shares)))
    return told


def rank(rows: Rows, left: str, right: str, what: str) -> dict[str, Any]:
    """Spearman's rank correlation over heads, and Fisher's interval of confidence 0.95, as if they were independent."""
    pairs = [(row[left], row[right]) for row in rows if row[left] is not None and row[right] is not None]
    named = {
        "predicted": left,
        "measured": right,
        "words": [WORDS[left], WORDS[right]],
        "what": what,
        "heads": len(pairs),
    }
    if len(pairs) < 5 or len({a for a, _ in pairs}) < 2 or len({b for _, b in pairs}) < 2:
        return {**named, "rank_correlation": None, "low": None, "high": None}
    found = float(stats.spearmanr(*zip(*pairs, strict=True)).statistic)
    n = len(pairs)
    # at 1 half as far as the next lower one: so few ranks do not tell it from 1
    most = 1 - 6 / (n * (n**2 - 1))
    within = max(-most, min(most, found))
    # Bonett and Wright's variance of Fisher's transform of a rank correlation
    half = float(stats.norm.ppf(0.975)) * math.sqrt((1 + within**2 / 2) / (n - 3))
    low, high = (math.tanh(math.atanh(within) + side * half) for side in (-1, 1))
    return {**named, "rank_correlation": found, "low": min(low, found), "high": max(high, found)}
