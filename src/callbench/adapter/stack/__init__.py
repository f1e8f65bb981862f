"""The two sides of a stack, started and ended: servers and clients, and what processes they are."""
