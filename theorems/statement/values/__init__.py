"""A statement at an exact case: its values in rationals and balls, whether its hypotheses hold, and what is certified.

``cases`` has the cases, ``values`` the value of an expression there, ``truths`` and ``certify`` what holds.
"""
