"""Messages like the given ones: as many as wanted, and of the same sizes in every format, compressed or not."""
