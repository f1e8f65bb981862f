"""Compare Callbench's load driver with another load generator on the same server, one after the other."""
