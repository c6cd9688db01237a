"""Simulations of the claims of Súkeník, López Amado, Lampert and Mondelli, arXiv 2605.08453."""
