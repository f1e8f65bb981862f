"""A search for a capacity, shown in the terminal and as a page."""
