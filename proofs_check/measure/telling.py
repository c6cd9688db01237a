"""What was measured on a model, in words: assumptions first, then layers and heads, then how well predictions do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from proofs_check.report.telling import counted

Found = dict[str, Any]

#: The columns of the heads' table: what stands above and in the row.
COLUMNS = (
    ("xi", "xi"),
    ("eta", "eta"),
    ("peak", "peak"),
    ("late", "late"),
    ("rho passes", "passing"),
    ("concentr.", "concentration"),
    ("first", "first"),
    ("room", "room"),
    ("sink value", "sink_value"),
    ("region", "region"),
    ("change", "change"),
    ("symmetric", "symmetric"),
)


def lines(found: Found) -> list[str]:
    """The whole of what is printed."""
    model = found["model"]
    size = f"{counted(model['layers'], 'layer')} of {counted(model['heads'], 'head')}"
    out = [f"{found['windows']} windows of {found['length']} tokens; {model['architecture']}, {size}", ""]
    return [*out, *_assumed(found), "", *_sinks(found), "", *_heads(found), "", *_predictions(found)]


def _assumed(found: Found) -> list[str]:
    """Each assumption: in how many layers it holds, then what is said of the layers and the span of the number."""
    out = ["What the theorems assume of the tokens before a layer (an interval of confidence 0.95 for each layer)"]
    for row in summary(found):
        out.append(f"  {row['paper']}: {row['what']}: holds before {row['holds']} of {row['layers']} layers")
        for words, layers, ends in row["words"]:
            out.append(f"      {layers}: {words}{ends and f' ({ends})'}")
    return out


def summary(found: Found) -> list[Found]:
    """The assumptions, each with its words, the layers they are said of, and the least and largest estimate there."""
    told: dict[str, Found] = {}
    for row in found["assumptions"]:
        entry = told.setdefault(row["name"], {**row, "holds": 0, "layers": 0, "said": {}})
        entry["holds"] += row["holds"] is True
        entry["layers"] += 1
        entry["said"].setdefault(row["words"], []).append((row["layer"], row["mean"]))
    for entry in told.values():
        entry["words"] = [
            (words, span([layer for layer, _ in rows]), _ends([mean for _, mean in rows]))
            for words, rows in entry.pop("said").items()
        ]
    return list(told.values())


def _ends(values: Sequence[float | None]) -> str:
    """The least and the largest of some numbers; nothing where there are none."""
    numbers = [value for value in values if value is not None]
    return f"{min(numbers):.3g} to {max(numbers):.3g}" if numbers else ""


def span(numbers: Sequence[int]) -> str:
    """Layers in words: ``layers 0-3, 7``."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    told = ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)
    return f"layer{'s' if len(numbers) > 1 else ''} {told}"


def sentences(found: Found) -> list[str]:
    """What lampert2026's theorems and the entropy bound say of the model, counted over layers and heads."""
    layers, heads, windows = found["layers"], found["heads"], len(found["certified"])
    whole = [row["layer"] for row in layers if row["together"]]
    none = [row["layer"] for row in layers if row["excluded"]]
    out = [
        f"A sink on the first token, scores without positions, certified exactly on the first {windows} windows: one "
        f"W_QK serves all of them before {len(whole)} of {len(layers)} layers"
        + (f" ({span(whole)})" if whole else "")
        + (f"; none serves some window before {span(none)}" if none else "")
        + "."
    ]
    if not heads:
        return out
    roomy = [row for row in heads if row["room"] is not None]
    if roomy:
        many = sum(row["room"] >= 1 for row in roomy)
        out.append(
            "At least the norm of one W_QK that gives the first token half of every query's attention in all of them: "
            f"{many} of {counted(len(roomy), 'head')}."
        )
    on = [row for row in heads if row["writes_on"] is not None]
    if on:
        writes, value = (sorted(row[name] for row in on)[len(on) // 2] for name in ("writes_on", "sink_value"))
        out.append(
            f"Half of the attention goes to the first token somewhere in {counted(len(on), 'head')}; there the median "
            f"head writes {writes:.2f} of the mean size of its values; the sink's own value has {value:.2f}, a hard "
            "switch 0."
        )
    for region, sign, verb in (("rises", 1, "more"), ("falls", -1, "less")):
        here = [row for row in heads if row["region"] == region]
        if here:
            right = sum(sign * row["change"] > 0 for row in here)
            own = sum(sign * row["change_attended"]["mean"] > 0 for row in here)
            out.append(
                f"R is derived to {region[:-1]} from no mixing to even mixing for {counted(len(here), 'head')}; the "
                f"cosine becomes {verb} by even mixing in {right} of them, and by their own attention in {own}."
            )
    below = sum(row["refuted"] > 0 for row in heads)
    entropy, least = (sorted(row[name] for row in heads)[len(heads) // 2] for name in ("last entropy", "bound"))
    out.append(
        "At the scores' own norm, in place of the paper's nu, the last query's entropy lies below the printed bound "
        f"(9) in some window for {below} of {counted(len(heads), 'head')}, below the derived one for "
        f"{sum(row['missed'] > 0 for row in heads)}. That is {least:.2g} nats for the median head; the median entropy "
        f"is {entropy:.2g}."
    )
    return out


def _sinks(found: Found) -> list[str]:
    return ["What they predict, counted", *("  " + sentence for sentence in sentences(found))]


def _heads(found: Found) -> list[str]:
    rows = [["layer.head", *(head for head, _ in COLUMNS)]]
    for row in found["heads"]:
        rows.append([f"{row['layer']}.{row['head']}", *(short(row[name]) for _, name in COLUMNS)])
    wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, wide)).rstrip() for row in rows]


def short(value: Any) -> str:
    """A number in three digits, text as it is, a dash where there is none."""
    return "-" if value is None else (f"{value:.3g}" if isinstance(value, float) else str(value))


def _predictions(found: Found) -> list[str]:
    out = ["Predicted and measured over the heads, Spearman's rank correlation; what fails of the hypotheses first"]
    for fails, rows in grouped(found["correlations"]):
        out.append("  " + ("; ".join(fails) or "no hypothesis about the tokens"))
        for row in rows:
            out.append(f"      {row['predicted']} and {row['measured']}: {correlation(row)} ({row['what']})")
    return out


def grouped(rows: Sequence[Found]) -> list[tuple[tuple[str, ...], list[Found]]]:
    """The comparisons by what fails of their hypotheses."""
    kinds = Counter(tuple(row["fails"]) for row in rows)
    return [(fails, [row for row in rows if tuple(row["fails"]) == fails]) for fails in kinds]


def correlation(row: Found) -> str:
    """A rank correlation with its interval, in words."""
    value = row["rank_correlation"]
    if value is None:
        return f"no rank correlation over {counted(row['heads'], 'head')}"
    return f"{value:.2f} in [{row['low']:.2f}, {row['high']:.2f}] over {counted(row['heads'], 'head')}"
