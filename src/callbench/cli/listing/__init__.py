"""What `callbench list` lists. A row is the same for people and programs."""
