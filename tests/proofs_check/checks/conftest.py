"""What some tests of the checks leave out of a judgement."""

from __future__ import annotations

import pytest

from proofs_check.binding import hold
from proofs_check.binding.tied import Binding


@pytest.fixture
def prints_are_held_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether a print says what the statement says takes most of a judgement, and is tested in tests of binding."""
    monkeypatch.setattr(hold, "prints_bound", lambda *_: Binding())
