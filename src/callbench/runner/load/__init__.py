"""`callbench load URL`: any HTTP server under load, with what came of it.

`wish` is what was asked for, checked; `driving` lets the engine's load driver make the calls; `watched` looks at the
server's processes meanwhile, where one was named; `live` shows how far it is; `found` is what it came to, with its
verdict; `told` writes that for people and programs.
"""
