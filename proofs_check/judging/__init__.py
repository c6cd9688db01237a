"""The judgement of claims: the runner, the verdicts, variants, the cache, and blocks drawn on other machines."""
