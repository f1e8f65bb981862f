"""A run as a whole: what its report is about, its tables and rankings, its headline, and the runs before it."""
