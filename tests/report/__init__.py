"""Reports from synthetic runs."""
