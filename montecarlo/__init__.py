"""The simulation side: claims told by sampling the model itself, with no formula for the answer."""

from montecarlo.registry import covariance, evaluation, find, search, simulation, variance

__all__ = ["covariance", "evaluation", "find", "search", "simulation", "variance"]
