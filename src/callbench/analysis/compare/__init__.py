"""What a comparison says: its verdicts, from live rounds or from two stored runs."""
