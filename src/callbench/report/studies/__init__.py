"""What the report of one study shows and no other one: a package a study."""
