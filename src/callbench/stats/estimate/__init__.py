"""What a value is and how sure: intervals, ratios and differences from one value a fork, and their digits."""
