"""What a run found of each cell, read from its tables: results, their validity, and what they were made of."""
