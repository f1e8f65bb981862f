"""C++ for an imported service: its names, its program, and how they are compiled."""
