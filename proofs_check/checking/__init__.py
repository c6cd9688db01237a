"""Checking a statement by itself: cases from its hypotheses, both sides as interpreters of it, and the judgement."""
