"""Gaussian processes of tokens: their observables, words of traces, exact moments and limits."""
