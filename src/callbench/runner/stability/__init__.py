"""`callbench soak`, `overload`, `torture`: a server for long, under too much, and among the ill-behaved."""
