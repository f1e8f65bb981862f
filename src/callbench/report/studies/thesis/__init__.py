"""The thesis of 2003: calls by clients and their ranks, bytes by type and size, and where each row is cheapest."""
