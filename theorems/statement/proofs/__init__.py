from __future__ import annotations
def proved(prop, deadline=0): return None
