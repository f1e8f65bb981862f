"""What was asked for, as record.json of each kind has it: one type a kind."""
