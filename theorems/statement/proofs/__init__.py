"""Proofs of statements without tokens by general rules, as data: every step with its rule and what it trusts."""

from __future__ import annotations

from theorems.statement.proofs.prover import proved
from theorems.statement.proofs.steps import Proof, Step

__all__ = ["Proof", "Step", "proved"]
