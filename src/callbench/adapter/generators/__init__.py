"""Code for the calls of an imported service: written in one language a file, and compiled once."""
