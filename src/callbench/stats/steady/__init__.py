"""Whether what was measured stood still: warm-ups, steady states, trends, and what disturbed or slowed a trial."""
