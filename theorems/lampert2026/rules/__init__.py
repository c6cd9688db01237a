"""Rules for the costs of the sink and the diagonal pattern."""
