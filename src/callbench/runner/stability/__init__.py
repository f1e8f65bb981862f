"""`callbench soak`, `overload`, `torture`: a server under long load, too much load, or misbehaving connections."""
