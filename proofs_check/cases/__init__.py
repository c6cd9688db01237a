"""What Hypothesis draws and what a user hands in: the parameters of claims and of statements, read exactly."""
