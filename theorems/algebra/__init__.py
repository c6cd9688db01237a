"""Exact formulas with nothing of a model in them: normal forms, finite sums, limits, products of matrices."""
