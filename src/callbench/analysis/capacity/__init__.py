"""What a search for a capacity came to, from its record."""
