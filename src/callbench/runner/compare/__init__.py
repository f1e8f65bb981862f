"""Two things held against each other: two stacks, two builds of a server, or two stored runs."""
