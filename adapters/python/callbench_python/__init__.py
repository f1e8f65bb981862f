"""REST servers of Python behind Callbench's contract."""
