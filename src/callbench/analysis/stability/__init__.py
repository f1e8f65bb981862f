"""What a soak, an overload and a torture test came to: their results and findings, from their records."""
