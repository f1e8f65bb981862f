"""The commands that drive one server and leave a record: one class, which each fills in."""
