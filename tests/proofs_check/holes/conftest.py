"""The claims that a test makes are its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.proofs_check.holes.lemmas import forgotten


@pytest.fixture(autouse=True)
def _claims_are_forgotten() -> Iterator[None]:
    with forgotten():
        yield
