"""Records over time: each series of values with its own noise, and the changes in it."""
