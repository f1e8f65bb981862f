"""The metrics of a cell, each with its interval, and SQL over them."""
