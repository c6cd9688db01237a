"""Claims as data, their derivations and proofs. Nothing here samples.

From the bottom:

    algebra                 exact formulas: normal forms, finite sums, limits, products of matrices, balls
    gaussian                Gaussian tokens: their processes, moments, words of traces
    claims                  the catalogue of claims
    statement               the language of statements: read, put in words, decided, proved
    rules                   the trusted rules, a module a subject; ``theorems.rules`` itself is their register
    kernel                  derivations are run, their steps checked, and prints compared with them
    bao2024, lampert2026, choromanski2021    the papers: a statement file each, and the derivations of its claims
    authoring               what authors of lemmas import
"""
