"""Claims as data, their derivations and proofs. Nothing here samples.

At the top stand what authors import (``authoring``), the statements and the kernel that settles them. Below it:

    bao2024, lampert2026, choromanski2021    the papers: a statement file each, and the derivations of its claims
    rules                   the trusted rules, a module a subject; ``theorems.rules`` itself is their register
    moments                 expectations: pairings, cumulants, enumeration, distributions
    algebra                 exact formulas: normal forms, finite sums, limits, products of matrices
    inequalities            how inequalities are shown: by boxes, from conditions, from a value on, in the limit
    law                     the exact law of a score; ``theorems.bao2024.law`` itself gives rho_i
    patterns                the sink and the diagonal pattern, and what they cost at least
"""
