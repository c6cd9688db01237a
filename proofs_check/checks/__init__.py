"""The empirical checks: sampling, evaluation, search, observation and growth, with their intervals and sample sizes."""
