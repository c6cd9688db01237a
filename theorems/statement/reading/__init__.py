"""A statement's text as data: expressions, hypotheses, laws, positions and what tends, each error with its place.

``language`` reads a formula (``syntax``, ``notation``, ``binders``, ``gathering`` and ``families`` are parts of it),
``hypotheses`` and ``conditions`` what stands beside it, ``coherent`` asks whether the parts speak of the same things.
"""
