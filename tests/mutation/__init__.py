"""How much the referee catches: its prints, rules, engine and empirical checks changed, one thing at a time.

``near_misses`` are steps made by hand for every rule, ``code`` changes a function in memory, ``prints``, ``rules`` and
``simulators`` make and judge the mutants, ``score`` counts them; ``python -m tests.mutation`` runs them all.
"""
