"""This machine during a run: what it is, what it can hold, and what is kept from disturbing a slice."""
