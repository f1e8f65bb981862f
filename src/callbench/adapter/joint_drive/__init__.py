"""One load by the clients of several hosts: shared out, begun at one moment, and added up exactly."""
