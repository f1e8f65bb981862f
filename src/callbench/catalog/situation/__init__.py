"""A situation from a file, from options or from answers: one mapping, checked in one place."""
