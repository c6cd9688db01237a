"""How inequalities are shown: by boxes, from other conditions, from a value on, and in the limit."""
