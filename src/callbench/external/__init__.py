"""Servers that nobody wrote for Callbench, as stacks: a command that starts one, or the URL of one that runs.

`spec` is what a manifest, a study or the command line says of one, checked; `given` makes stacks of those that no
manifest has; `program` is the adapter that plays their server, `python -m callbench.external`: it starts the command,
waits until it listens, and ends it. `processes` finds those of a server that runs by itself.
"""
