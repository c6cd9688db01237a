"""``twofold bench``: how fast walks are sampled here, beside the same work done otherwise and the machine's limits.

``peers`` holds scripts that are run, each in a process of its own, and never imported; ``tiers`` those of the suite.
"""
