"""Soak, overload and torture, shown in the terminal and as a page."""
