"""The lines of journals: a type for each kind, a file for kinds that belong together."""
