"""A module a command: `command` is its signature with its help; what does the work is imported when it is called."""
