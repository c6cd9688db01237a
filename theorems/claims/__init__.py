"""Claims as data: the catalogue, conditions, and what is said of names."""
