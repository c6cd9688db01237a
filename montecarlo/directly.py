"""What an empirical check without walks finds: evaluations, searches, orders of growth."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from contextlib import closing
from typing import Any

import torch
from torch import Tensor

from montecarlo import cases, seeds
from montecarlo.empirical_checks import GIVEN, Evaluation, Growth, Points, Search
from montecarlo.engine import resolve_device
from montecarlo.threads import at_least_one, in_order, one_torch_thread

#: Tokens of a block of a growth.
GROWTH_TOKENS = 1 << 16


def evaluate(evaluation: Evaluation, case: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    """A deterministic claim at a case: name -> (value, bound of its error), computed in float64 on the CPU.

    What the case hands over as a function goes to the parameter of its name.
    """
    given = _given(case, evaluation.parameters)
    with one_torch_thread():
        found = evaluation.function(**given)
    return {name: (float(value), float(bound)) for name, (value, bound) in found.items()}


def _given(case: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    functions = {name: case[name] for name in names if callable(case.get(name))}
    # a rational in a string is a parameter, whatever its name
    known = [name for name in names if name in GIVEN and not isinstance(case.get(name), float | str)]
    others = [name for name in names if name not in functions and name not in known]
    return {**functions, **cases.numbers(case, others), **cases.arguments(case, known, torch.device("cpu"))}


def run_search(
    search: Search,
    points: int,
    seed: int,
    device: str = "cpu",
    key: str = "",
    handed: Mapping[str, Any] | None = None,
) -> Points:
    """Let a search try ``points`` points, drawn from the stream named (seed, the search's claim, key).

    ``handed`` are the printed objects that the claim is about, by the names of the search's further parameters.
    """
    at_least_one("points", points)
    generator = torch.Generator(device=resolve_device(device))
    generator.manual_seed(seeds.block_seed(seeds.case_digest(seed, search.claim_id, key), 0))
    with one_torch_thread():
        further = {name: (handed or {})[name] for name in search.parameters}
        return search.function(points, generator, **further)


def search_at(search: Search, case: Mapping[str, Any], handed: Mapping[str, Any] | None = None) -> Points:
    """What a search measures at the point of a case, its numbers taken as the nearest floats; LookupError without one.

    No points come back where the search has no such point.
    """
    if search.at is None:
        raise LookupError(
            f"{search.claim_id}: the search measures no single case; give it one, @search(..., at=function)"
        )
    given = {name: _floats(name, value) for name, value in case.items()} | dict(handed or {})
    with one_torch_thread():
        return search.at(**{name: given[name] for name in inspect.signature(search.at).parameters})


def _floats(name: str, value: Any) -> Any:
    def entries(value: Any) -> Any:
        return [entries(one) for one in value] if isinstance(value, list) else cases.number(name, value)

    return torch.tensor(entries(value), dtype=torch.float64) if isinstance(value, list) else cases.number(name, value)


def draw_growth(growth: Growth, T: int, n: int, seed: int, device: str, key: str, threads: int) -> dict[str, Tensor]:
    """``n`` numbers of a growth at length T, on the CPU, in blocks whose seeds are named (seed, claim, key, block)."""
    place = resolve_device(device)
    digest = seeds.case_digest(seed, growth.claim_id, f"{key}, T = {T}")
    walks = max(2, GROWTH_TOKENS // T)

    def run(block: int) -> dict[str, Tensor]:
        generator = torch.Generator(device=place)
        generator.manual_seed(seeds.block_seed(digest, block))
        with torch.inference_mode():
            found = growth.function(generator, walks, T)
            return {name: values.double().cpu() for name, values in found.items()}

    parts: list[dict[str, Tensor]] = []
    with closing(in_order(run, range(-(-n // walks)), threads, 1)) as results:
        parts.extend(results)
    return {name: torch.cat([part[name] for part in parts])[:n] for name in parts[0]}
