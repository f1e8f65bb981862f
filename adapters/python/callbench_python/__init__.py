"""The runner of Python: JSON over HTTP, and a REST server."""
