"""Bytes and sizes: how they grow, what a grid of sizes needs, and what bytes cost on a line."""
