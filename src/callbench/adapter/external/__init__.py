"""External servers as stacks: a command that starts one, or the URL of one that runs.

`program` is the adapter that represents the server, `python -m callbench.adapter.external`: it starts the command,
waits until it listens, and ends it. `processes` finds the processes of a server that runs by itself. `catalog.external`
reads the description of a server, and `catalog.study.own_servers` makes stacks of it.
"""
