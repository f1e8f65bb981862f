"""A record on disk: its journal, its tables, who writes it and who reads it."""
