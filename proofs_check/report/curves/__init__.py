"""Numbers for the figures: printed and derived curves beside simulated points with intervals."""
