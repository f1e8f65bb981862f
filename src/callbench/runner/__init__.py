"""How a run measures: forks that start stacks together, rounds in random order, slices of about 20 ms."""
