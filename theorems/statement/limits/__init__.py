"""Limits and orders of growth of exact values, in T, shares of T, or any parameter."""
