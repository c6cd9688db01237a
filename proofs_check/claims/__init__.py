"""A claim of a paper with its two sides: what is printed, derived and simulated, and what each is held to."""
