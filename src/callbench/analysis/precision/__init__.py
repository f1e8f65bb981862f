"""When enough was measured: cells that end when they are precise, and a budget spent where it narrows a ranking."""
