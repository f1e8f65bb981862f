"""`callbench load URL`: put a load on any HTTP or gRPC server and report the result.

`request` has the checked options. `driving` lets the engine's load driver make the calls, and `server_usage` reads the
server's processes meanwhile. `live` shows the progress. `result` computes rate, latencies and verdict, and `record`
writes them as JSON.
"""
