"""Whether a statement about moments holds: ``decide`` by normal form, the others where there is no closed form.

``sequences``, ``arcs`` and ``dimensions`` decide limits along vectors; ``cumulants`` is the second route to a moment.
"""
