"""Where derivations and simulations meet: pairing, statistics, judgement, report and command line."""

__version__ = "0.1.0"
