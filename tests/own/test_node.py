"""A service of the user's own in Node.js: its runner alone, with everything that a schema can say."""

import json
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from both_ways import failures
from everything_service import BARE, FULL, SERVICE
from language_checks import every_other_value_is_seen, every_pair_comes_back
from runner_lines import Refused, Runner

from callbench.adapter.generators import node
from callbench.catalog import catalogue
from callbench.model.service.imported import Json, Pair
from callbench.model.service.schema import Field, Kind, Message, OwnCall, Schema
from conftest import ROOT

ADAPTER = catalogue.load([ROOT / "adapters" / "node"]).adapter("node")
JSON = ["json+http", "json+fetch", "json+http-cluster"]
GRPC = "protobuf+grpc"

pytestmark = [
    pytest.mark.node,
    pytest.mark.skipif(ADAPTER.why_not is not None, reason=str(ADAPTER.why_not)),
    pytest.mark.usefixtures("nothing_left"),
]


def _within_2_53(value: Json) -> Json:
    return {**value, "large": 2**53 - 1, "huge": 5} if isinstance(value, dict) else value


SMALLER = _within_2_53(FULL)
WITHIN = replace(SERVICE, payloads={**SERVICE.payloads, "SendEverything": (Pair(BARE, SMALLER), Pair(SMALLER, BARE))})
LARGE = replace(
    SERVICE,
    payloads={
        "SendEverything": (
            Pair(FULL, BARE),
            Pair(BARE, {**FULL, "large": -(2**63), "huge": 2**64 - 1}),
        )
    },
)


@pytest.fixture
def cache_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


@pytest.fixture
def runner(cache_of_its_own: None, tmp_path: Path) -> Iterator[Runner]:  # noqa: ARG001 - first
    with Runner(node.built(WITHIN, tmp_path), WITHIN) as running:
        yield running


@pytest.mark.parametrize("stack", [*JSON, GRPC])
def test_every_pair_comes_back_as_the_user_wrote_it(runner: Runner, stack: str) -> None:
    runner.serve_and_connect(stack)
    every_pair_comes_back(runner, WITHIN)


@pytest.mark.usefixtures("cache_of_its_own")
def test_grpc_carries_every_integer(tmp_path: Path) -> None:
    """With all digits on the lines to the host, too."""
    with Runner(node.built(LARGE, tmp_path), LARGE) as running:
        running.serve_and_connect(GRPC)
        every_pair_comes_back(running, LARGE)


@pytest.mark.parametrize("stack", ["json+http", GRPC])
def test_an_answer_that_differs_in_one_value_is_wrong(runner: Runner, stack: str) -> None:
    runner.serve_and_connect(stack)
    every_other_value_is_seen(runner, WITHIN)


@pytest.mark.parametrize(("key", "value"), [("large", 2**53), ("huge", 2**64 - 1), ("realNumber", -0.0)])
def test_a_number_that_javascript_has_not_cannot_be_carried(runner: Runner, key: str, value: float) -> None:
    """It would be another number without a word."""
    runner.serve_and_connect("json+http")
    for pair in (Pair({**BARE, key: value}, BARE), Pair(BARE, {**BARE, key: value})):
        with pytest.raises(Refused, match="cannot-carry"):
            runner.prepare("SendEverything", pair)


def test_a_server_says_which_number_it_has_not(runner: Runner) -> None:
    """To a client of another language, which can send it."""
    endpoint = runner.serve_and_connect("json+http")
    call = {"jsonrpc": "2.0", "id": 1, "method": "SendEverything", "params": {"request": {**BARE, "huge": 2**63 - 1}}}
    with urllib.request.urlopen(endpoint, json.dumps(call).encode(), timeout=30) as answer:
        assert "exact up to 2^53" in json.load(answer)["error"]["message"]


@pytest.mark.usefixtures("cache_of_its_own")
@pytest.mark.parametrize("stack", ["json+http", GRPC])
def test_any_name_that_a_schema_can_have_is_one_in_javascript(tmp_path: Path, stack: str) -> None:
    """Keys that are not identifiers, or mean something to JavaScript."""
    keys = ["__proto__", "constructor", "class", "a b", 'quo"te', "ä\u2028", "\n", "ends */"]
    fields = [Field(f"field_{number}", key, number, Kind.BYTES) for number, key in enumerate(keys, 1)]
    schema = Schema("Names", (Message("function", tuple(fields)),), (OwnCall("constructor", "function", "function"),))
    value: Json = dict.fromkeys(keys, "AAEC")
    service = replace(SERVICE, schema=schema, payloads={"constructor": (Pair(value, value),)})
    with Runner(node.built(service, tmp_path), service) as runner:
        runner.serve_and_connect(stack)
        every_pair_comes_back(runner, service)


@pytest.mark.slow
def test_native_reads_what_node_writes_and_the_other_way_round(tmp_path: Path) -> None:
    """With the host, and every check. test_own_mixed.py has gRPC, with numbers that JSON of Node.js has not."""
    assert failures(tmp_path, WITHIN, {"node/json+http": "native/json+http-keepalive"}) == []
