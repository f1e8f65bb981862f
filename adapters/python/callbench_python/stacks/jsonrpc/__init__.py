"""JSON-RPC by httpx and aiohttp, served by uvicorn."""

from callbench_python.stacks.technology import Sides, Technology

TECHNOLOGY = Technology(
    "all",
    ("aiohttp", "httpx", "httptools", "uvicorn", "uvloop"),
    {
        "json+httpx": Sides("httpx_threads", "uvicorn_one"),
        "json+httpx-async": Sides("httpx_async", "uvicorn_one"),
        "json+aiohttp": Sides("aiohttp_async", "uvicorn_one"),
        "json+uvicorn-workers": Sides(None, "uvicorn_workers"),
    },
)
