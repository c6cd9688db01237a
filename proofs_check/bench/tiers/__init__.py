"""The suite's own ways of drawing, as scripts of ``serve``: each has ``make``, as the peers have."""
