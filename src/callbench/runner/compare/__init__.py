"""Compare two things: two stacks, two builds of a server, or two stored runs."""
