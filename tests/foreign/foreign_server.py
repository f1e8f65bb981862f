"""A server of every message over HTTP, started as anybody would who reads contract/CONTRACT.md."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[2] / "engine" / "target" / "release" / "callbench-native"
CHANNEL = "http-keepalive"


@contextmanager
def serving() -> Iterator[dict[str, str]]:
    """Message to address."""
    if not PROGRAM.exists():
        pytest.skip(f"{PROGRAM} is not built: run make engine")
    with subprocess.Popen([PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as adapter:
        assert adapter.stdin is not None
        assert adapter.stdout is not None
        assert json.loads(adapter.stdout.readline())["is"] == "hello"
        request = {"do": "serve-all", "id": 1, "host": "127.0.0.1", "port": 0, "channels": [CHANNEL]}
        print(json.dumps(request), file=adapter.stdin, flush=True)
        answer = json.loads(adapter.stdout.readline())
        assert answer["is"] == "serving-all", answer
        served = {name.partition("/")[2].partition("+"): address for name, address in answer["endpoints"].items()}
        yield {message: address for (message, _, channel), address in served.items() if channel == CHANNEL}
        adapter.stdin.close()
        assert adapter.wait(timeout=60) == 0
