"""A service of the user's own, in plain types: its messages, enumerations and calls."""
