"""The example call of what is served: a command line of another program, run by a shell."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from callbench.catalog import catalogue
from callbench.catalog.example_call import example_call
from callbench.model.card import RequestTable
from served import READY, Served, endpoints, state

pytest_plugins = ["served"]
pytestmark = [pytest.mark.engine, pytest.mark.usefixtures("nothing_left")]


# What the examples of a message print of the answer 3.
RIGHT = {
    "soap": r"^3\n$",
    "xmlrpc": r"^3\n$",
    "json": r'"result":3',
    "msgpack": r"148 +1 +1 192 +3",
    "cbor": r"132 +1 +1 246 +3",
    "protobuf": r"number \{\s+result: 3",
}


def test_each_example_is_a_call_that_is_answered(serve: Callable[..., Served], tmp_path: Path) -> None:
    """Each is run by a shell as it is copied. Those of gRPC need grpcurl, which Debian does not have."""
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "protoc").write_text(f'#!/bin/sh\nexec {sys.executable} -m grpc_tools.protoc "$@"\n')
    (tools / "protoc").chmod(0o755)
    path = f"{tools}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    served = serve("--all", "--status", tmp_path / "status")
    seen = endpoints(served.until(READY))
    read = state(tmp_path / "status", lambda read: read.on == len(seen))
    parts = [part for server in read.servers for part in server.parts]
    told = {found.stack: found.example for part in parts for found in part.endpoints if found.example}
    over = {message: {name.partition("+")[2] for name in told if f"/{message}+" in name} for message in RIGHT}
    assert over["soap"] == over["xmlrpc"] == {"http", "http-keepalive"}
    assert over["json"] >= {
        "http",
        "http-keepalive",
        "http-unix",
        "http2",
        "https",
        "http2-tls",
        "https-keepalive-gzip",
    }
    assert over["protobuf"] >= over["json"] | {"grpc", "grpc-tls"}
    for stack, line in told.items():
        message, _, channel = stack.partition("/")[2].partition("+")
        if channel.startswith("grpc") and not shutil.which("grpcurl"):
            continue
        ran = subprocess.run(
            ["/bin/sh", "-c", line], env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
        )
        assert re.search(r'"result": 3' if channel.startswith("grpc") else RIGHT[message], ran.stdout), (line, ran)


@pytest.mark.parametrize(
    ("table", "endpoint", "line"),
    [
        ({"path": "/a?n={n}"}, "http://127.0.0.1:1/x", "curl -s 'http://127.0.0.1:1/a?n=10'"),
        (
            {"method": "PUT", "headers": [["X-A", "it's"]], "body": "a b"},
            "http://127.0.0.1:1/x",
            """curl -s -X PUT -H 'X-A: it'"'"'s' --data-binary 'a b' http://127.0.0.1:1/x""",
        ),
        ({"body_file": "/a/b"}, "127.0.0.1:1", "curl -s --data-binary @/a/b http://127.0.0.1:1"),
        ({"protocol": "grpc"}, "127.0.0.1:1", None),
        ({"script": {}}, "127.0.0.1:1", None),
    ],
)
def test_an_example_of_a_request(table: RequestTable, endpoint: str, line: str | None) -> None:
    stack = next(stack for stack in catalogue.load().stacks if stack.id == "rust/hyper")
    assert example_call(replace(stack, card={"request": table}), endpoint) == line


def test_an_address_adds_nothing_to_the_command(tmp_path: Path) -> None:
    """What an adapter says of itself is text to a shell, whatever stands in it."""
    stack = next(stack for stack in catalogue.load().stacks if stack.id == "native/json+http")
    line = example_call(
        replace(stack, card={"example": "echo {url}", "curl": "{url}"}), "http://a/$(touch x)';touch y;'"
    )
    assert line is not None
    ran = subprocess.run(["/bin/sh", "-c", line], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ran.stdout == "http://a/$(touch x)';touch y;'\n"
    assert not list(tmp_path.iterdir())
