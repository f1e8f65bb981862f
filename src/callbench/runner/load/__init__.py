"""`callbench load URL`: put a load on any HTTP or gRPC server and report the result.

`driving` lets the engine's load driver make the calls, and `server_usage` reads the server's processes meanwhile.
`live` shows the progress, and `journal` writes the record. `analysis/load` has the request and computes the result.
"""
