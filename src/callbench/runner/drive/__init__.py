"""What is alive in a fork and driven in slices: started stacks, their tasks, a round of them."""
