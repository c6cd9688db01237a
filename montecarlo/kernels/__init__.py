"""Kernels that draw walks and give back their scores without storing them, on the CPU; they need numba."""
