"""Expectations, exactly, for every case at once: polynomials, exponentials and steps of tokens under the laws.

``forms`` writes an expression as polynomials of bilinear forms, ``moments`` has their expectations, ``scalars`` the
numbers made of these, ``normal`` their normal form; ``repairing`` finds the right side that is true.
"""
