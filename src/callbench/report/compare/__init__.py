"""A comparison, shown in the terminal and as a page."""
