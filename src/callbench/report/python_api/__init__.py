"""A stored result in Python: what `callbench.open` returns."""
