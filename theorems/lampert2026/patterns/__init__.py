"""The sink and the diagonal pattern: what a query must attend to, and what a pattern costs at least."""
