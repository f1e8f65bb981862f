"""The commands as people find them: their names by purpose, `--help`, and the manual page."""
