"""Statistics as pure functions: numbers in, numbers out, each formula with its source."""
