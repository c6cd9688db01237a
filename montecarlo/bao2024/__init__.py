"""Simulations of the claims of Bao, Hataya and Karakida, arXiv 2402.02098; module names as in ``theorems.bao2024``."""
