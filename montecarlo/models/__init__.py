"""Causal language models of a user: read from local files, running no code of theirs, and run layer by layer."""
