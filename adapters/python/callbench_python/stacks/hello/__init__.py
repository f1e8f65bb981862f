"""The server of the DataSnap article, by uvicorn."""

from callbench_python.stacks.technology import Sides, Technology

TECHNOLOGY = Technology("ours", ("httptools", "uvicorn", "uvloop"), {"uvicorn": Sides(None, "hello_world")})
