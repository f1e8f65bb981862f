"""An independent load generator beside our own: the same server, the same clients, in turn."""
