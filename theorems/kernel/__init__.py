"""The proof kernel: derivations are run, their steps checked, and prints compared with what was derived."""
