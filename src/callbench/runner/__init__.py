"""How a run measures: forks in which stacks are alive together, rounds in random order, slices of some 20 ms."""
