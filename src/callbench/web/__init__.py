"""The page of `callbench ui`. It measures nothing and decides nothing: it starts commands, and shows records."""
