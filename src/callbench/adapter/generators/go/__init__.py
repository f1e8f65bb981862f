"""Go for an imported service: its types, its program, and how they are compiled."""
