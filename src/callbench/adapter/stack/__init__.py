"""The two sides of a stack: start and end its servers and clients, and find their processes."""
