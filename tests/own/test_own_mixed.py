"""A service of the user's own in several languages at once: each confirms the others.

One program of Rust serves all, so this is one file: add the stacks of a language to the pairs.
"""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
import tomli_w
from everything_service import SERVICE

from callbench.catalog import catalogue
from callbench.catalog.own import folder

_JSON, _GRPC = "native/json+http-keepalive", "native/protobuf+grpc"
PAIRS = {
    "cpp": (("cpp/json+http", _JSON), ("cpp/protobuf+grpc", _GRPC)),
    "dotnet": (("dotnet/json+http", _JSON),),
    "go": (("go/json+nethttp", _JSON), ("go/protobuf+grpc", _GRPC)),
    "java": (("java/json+http", _JSON), ("java/grpc", _GRPC)),
    # Its JSON has no numbers above 2^53, which this service has: test_node.py.
    "node": (("node/protobuf+grpc", _GRPC),),
    "python": (("python/json+aiohttp", _JSON), ("python/protobuf+grpc", _GRPC)),
}
# What has no such partner, or is a client alone.
BESIDES = {"java": ("java/cxf-soap",), "python": (f"python/protobuf+grpc-async:{_GRPC}",)}
# Nothing of theirs compiles while it runs. advice/test_language_measured.py has a run that warms Node.js up.
UNWARMED = ("cpp", "go", "python")
HERE = [name for name in PAIRS if catalogue.load().adapter(name).why_not is None]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.languages,
    # The first of them compiles the service, beside other tests.
    pytest.mark.timeout(1200),
    pytest.mark.skipif(not HERE, reason="no adapter of another language is set up"),
]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """The folder of a service with everything."""
    folder.write(tmp_path / "everything", SERVICE)
    return tmp_path / "everything"


def test_each_language_and_rust_understand_each_other(
    place: Path, callbench: Callable[..., CompletedProcess[str]]
) -> None:
    """Every pair, and the last field of an answer, with either as the client; and each language alone."""
    pairs = [pair for adapter in HERE for pair in PAIRS[adapter]]
    stacks = [name for one, other in pairs for name in (one, f"{one}:{other}", f"{other}:{one}")]
    stacks += [stack for adapter in HERE for stack in BESIDES.get(adapter, ())]
    cells = [{"group": call.name, "stacks": stacks, "call": call.name} for call in SERVICE.schema.calls]
    (place / "study.toml").write_text(tomli_w.dumps({"title": "Both ways", "cells": cells}))
    ended = callbench("verify", place, "--json", timeout=900)
    assert ended.returncode == 0, ended.stdout
    checks = json.loads(ended.stdout)["checks"]
    assert {one["subject"] for one in checks} == set(stacks)
    passed = {(one["subject"], one["check"]) for one in checks if one["passed"]}
    assert {(stack, "SendEverything/last-field") for stack in stacks} <= passed
    assert len(passed) == len(stacks) * sum(len(pairs) + 1 for pairs in SERVICE.payloads.values())


def test_a_run_measures_the_languages_that_are_named(
    place: Path, callbench: Callable[..., CompletedProcess[str]]
) -> None:
    """With the bytes of each call, and a card like that of any stack."""
    named = [name for name in HERE if name in UNWARMED] or HERE[:1]
    names, run = ",".join(named), place.parent / "run"
    measured = [stack for name in named for stack, _ in PAIRS[name]]
    chosen = [option for stack in measured for option in ("--select", stack)]
    # One call has everything; the test above has all of them.
    chosen += ["--select", "call=SendEverything"]
    command = ["run", place, "--quick", "--languages", names, *chosen, "--budget", "10s", "--out", run]
    callbench(*command, check=True, timeout=900)
    shown = callbench("show", run, check=True).stdout
    for one in measured:
        assert one in shown
