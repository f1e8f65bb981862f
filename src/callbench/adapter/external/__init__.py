"""Servers that nobody wrote for Callbench, as stacks: a command that starts one, or the URL of one that runs.

`program` is the adapter that plays their server, `python -m callbench.adapter.external`: it starts the command, waits
until it listens, and ends it. `processes` finds those of a server that runs by itself. What a manifest, a study or the
command line says of one is read by `catalog.external`, and `catalog.given` makes stacks of it.
"""
