"""What a load is: its request, its result, its thresholds, and how its record is read."""
