"""A load, shown in the terminal and as a page."""
