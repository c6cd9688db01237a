"""Finding claims by id for those who may not import the catalogue themselves (figures, notebooks)."""

from __future__ import annotations

from theorems.claims import catalogue
from theorems.claims.catalogue import Statement


def ids() -> list[str]:
    """Every claim's id, those of installed packages included."""
    from proofs_check.inputs import plugins

    plugins.load()
    return [claim.id for claim in catalogue.catalogue()]


def by_id(name: str) -> Statement:
    """The claim of that id; KeyError where there is none."""
    from proofs_check.inputs import plugins

    plugins.load()
    return catalogue.by_id()[name]
