"""What is driven beside the cells, so that values of other batches and channels can be compared."""
