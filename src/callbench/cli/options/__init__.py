"""What is typed behind a command: options that several commands share, and what they are read into."""
