"""What a command prints and ends with: rows, JSON, pages, exit codes, and how to continue it."""
