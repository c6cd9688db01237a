"""Statements as data, simulated: an interpreter of a lemma's plain form, walk by walk."""

from montecarlo.statements.nodes import StatementSimulationError
from montecarlo.statements.simulation import StatementSimulation

__all__ = ["StatementSimulation", "StatementSimulationError"]
