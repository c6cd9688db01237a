"""Claims by their ids, for those who do not import the catalogue."""

from __future__ import annotations

import pytest

from proofs_check.inputs.lookup import by_id, ids
from theorems.claims.catalogue import catalogue


def test_the_ids_are_those_of_the_catalogue_in_its_order() -> None:
    assert ids() == [claim.id for claim in catalogue()]
    assert by_id(ids()[0]) is catalogue()[0]


def test_an_unknown_id() -> None:
    with pytest.raises(KeyError, match="nobody"):
        by_id("nobody.sec1.thing")
