"""What a person sees while a command works, and how a person stops it."""
