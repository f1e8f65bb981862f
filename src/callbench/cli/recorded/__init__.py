"""The commands that leave a record: one class, which each fills in."""
