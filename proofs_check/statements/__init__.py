"""Judging statements as data: both sides at work on one proposition."""
