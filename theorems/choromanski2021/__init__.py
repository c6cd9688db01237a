"""Rethinking Attention with Performers (choromanski2021): what its claims say, and how they are derived."""
