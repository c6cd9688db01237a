"""The commands of ``twofold``: of each, what arguments it takes and what it does with them."""
