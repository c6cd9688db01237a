"""Whether the referee itself can be trusted: error rates on true claims, one-sided faults, mutants of its own code."""
