"""What may be registered, how it is found, and what is refused."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import Tensor

from montecarlo import registry
from montecarlo.empirical_checks import Evaluation, Points, RegistryError, Simulation
from montecarlo.registry import covariance, evaluation, find, search, simulation, variance


@pytest.fixture(autouse=True)
def _registry_is_put_back(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    find("bao2024.appA.eq11")
    monkeypatch.setattr(registry, "_REGISTERED", dict(registry._REGISTERED))
    yield


def bare(x: Tensor) -> Tensor:
    return x[:, 0]


def test_a_registered_function_stays_itself_and_is_found_for_its_correction_too() -> None:
    assert simulation("mine.a", degree=1)(bare) is bare
    found = find("mine.a")
    assert isinstance(found, Simulation) and found.function is bare
    assert find("mine.a.corrected") is found
    assert (found.model, found.parameters, found.degree_of("value")) == ("gaussian", ("x",), 1)


def test_what_a_search_returns_is_offered_beside_what_registers_it() -> None:
    assert registry.Points is Points


def test_a_paper_s_modules_are_imported_on_demand() -> None:
    code = (
        "import sys; from montecarlo import registry; assert 'torch' not in sys.modules; "
        "print(registry.find('bao2024.sec4.lemma1-variance.corrected').claim_id)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "bao2024.sec4.lemma1-variance"


@pytest.mark.parametrize("claim", ["bao2024.appA.eq99", "nosuchpaper.sec1.x", "../x.y", ""])
def test_an_unknown_claim_is_a_lookup_error_that_names_it(claim: str) -> None:
    with pytest.raises(LookupError, match=f"{claim}: no simulation is registered"):
        find(claim)


def test_duplicates_are_refused() -> None:
    with pytest.raises(RegistryError, match=r"already registered by montecarlo.bao2024.appendix_a.eq11"):
        simulation("bao2024.appA.eq11", degree=2)(bare)
    with pytest.raises(RegistryError, match="already registered"):
        evaluation("bao2024.appA.eq11")(lambda W: {"value": (W, 0.0)})
    with pytest.raises(RegistryError, match="a correction uses the simulation of its claim"):
        simulation("mine.a.corrected", degree=2)(bare)


def test_what_can_t_be_filled_is_refused() -> None:
    def nothing(W: Tensor) -> Tensor:
        return W[0]

    def both(x: Tensor, tokens: Tensor) -> Tensor:
        return x[:, 0] + tokens[:, 0, 0]

    def no_generator(points: int) -> Any:
        return points

    for function in (nothing, both):
        with pytest.raises(RegistryError, match="takes tokens or walk, or x, or else generator"):
            simulation("mine.c", degree=1)(function)
    for degree in (-1, {}, {"a": 0.5}):
        with pytest.raises(RegistryError, match=r"degree = .*expected integers >= 0"):
            simulation("mine.d", degree=degree)(bare)  # type: ignore[arg-type]
    with pytest.raises(RegistryError, match="a search takes"):
        search("mine.e")(no_generator)


def test_a_degree_by_quantity_must_name_the_quantity() -> None:
    found = Simulation("mine.f", bare, {"mean": 2, "variance": 4})
    assert found.degree_of("variance") == 4
    with pytest.raises(RegistryError, match="degree names mean, variance but not 'other'"):
        found.degree_of("other")


def test_variance_and_covariance_are_half_products_of_neighbours_differences() -> None:
    f, g = torch.tensor([1.0, 3.0, 5.0, 4.0, 9.0]), torch.tensor([0.0, 1.0, 2.0, 6.0, 9.0])
    assert variance(f).tolist() == [2.0, 0.5]
    assert covariance(f, g).tolist() == [1.0, -2.0]
    assert variance(f).dtype == torch.float64


def test_an_evaluation_beside_a_simulation_stands_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_BESIDE", dict(registry._BESIDE))
    simulation("mine.b", degree=1)(bare)
    assert registry.beside("mine.b") is None

    def more(T: int, xi: float) -> dict[str, tuple[float, float]]:
        return {"more": (xi / T, 0.0)}

    assert evaluation("mine.b", beside=True, at={"xi": ("1", "1/2")})(more) is more
    found = registry.beside("mine.b.corrected")
    assert found is not None and (found.function, found.at) == (more, {"xi": ("1", "1/2")})
    assert isinstance(find("mine.b"), Simulation)
    with pytest.raises(RegistryError, match="already registered"):
        evaluation("mine.b", beside=True)(more)
    other = Evaluation("mine.b", more)
    with registry.registered(other, beside=True):
        assert registry.beside("mine.b") is other and isinstance(find("mine.b"), Simulation)
    assert registry.beside("mine.b") is found
    with pytest.raises(LookupError):
        registry.beside("mine.nothing")
