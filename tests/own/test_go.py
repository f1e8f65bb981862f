"""A service of the user's own in Go: its runner with everything that a schema can say."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from everything_service import BARE, SERVICE, WIDER
from language_checks import (
    a_late_difference_is_seen,
    a_refused_request_is_a_fault,
    every_other_value_is_seen,
    every_pair_comes_back,
)
from runner_lines import Refused, Runner

from callbench.adapter.generators.go import program
from callbench.adapter.generators.go.program import built
from callbench.catalog import catalogue
from callbench.model.errors import BadInput
from callbench.model.service.imported import Json, Pair
from callbench.model.service.schema import Enumeration, Field, Kind, Message, OwnCall, Schema, Shape
from conftest import ROOT

ADAPTER = catalogue.load([ROOT / "adapters" / "go"]).adapter("go")
JSON, GRPC = "json+nethttp", "protobuf+grpc"

pytestmark = [
    pytest.mark.go,
    pytest.mark.skipif(ADAPTER.why_not is not None, reason=str(ADAPTER.why_not)),
    pytest.mark.usefixtures("nothing_left"),
]


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """The runner, compiled once."""
    return built(WIDER, tmp_path_factory.mktemp("service"))


@pytest.fixture
def runner(command: tuple[str, ...]) -> Iterator[Runner]:
    with Runner(command, WIDER) as running:
        yield running


@pytest.mark.parametrize("stack", [JSON, GRPC])
def test_every_pair_comes_back_as_the_user_wrote_it(runner: Runner, stack: str) -> None:
    runner.serve_and_connect(stack)
    every_pair_comes_back(runner, WIDER)


@pytest.mark.parametrize("stack", [JSON, GRPC])
def test_an_answer_that_differs_in_one_value_is_wrong(runner: Runner, stack: str) -> None:
    runner.serve_and_connect(stack)
    every_other_value_is_seen(runner, WIDER)


@pytest.mark.parametrize("stack", [JSON, GRPC])
def test_the_last_entry_of_a_long_map_is_looked_at(runner: Runner, stack: str) -> None:
    """In the order of the keys: a map of Go has none."""
    runner.serve_and_connect(stack)
    a_late_difference_is_seen(runner)


@pytest.mark.parametrize("stack", [JSON, GRPC])
def test_a_request_that_the_service_refuses_is_a_fault(runner: Runner, stack: str) -> None:
    runner.serve_and_connect(stack)
    a_refused_request_is_a_fault(runner)


def test_a_value_that_does_not_fit_its_type_cannot_be_carried(runner: Runner) -> None:
    for stack in (JSON, GRPC):
        runner.serve_and_connect(stack)
        with pytest.raises(Refused, match="cannot-carry"):
            runner.prepare("SendEverything", Pair({**BARE, "small": 2**31}, BARE))
        runner.does("stop-serving", "stopped-serving")
        runner.does("disconnect", "disconnected")


_ODD = Schema(
    "odd names",
    (
        Message(
            "func",
            (
                Field("type", "type", 1, Kind.STRING),
                Field("range", "a b", 2, Kind.INT32, Shape.OPTIONAL),
                Field("_private", "-", 3, Kind.BOOL, Shape.OPTIONAL, nullable=True),
                Field("string", "größe/x", 4, Kind.DOUBLE, Shape.OPTIONAL),
                Field("reset", "Reset", 5, Kind.UINT64, Shape.OPTIONAL),
                Field("proto_message", "proto", 6, Kind.MESSAGE, Shape.MANY, "raws"),
                Field("by_truth", "byTruth", 7, Kind.BYTES, Shape.MAP, key=Kind.BOOL),
                Field("by_number", "byNumber", 8, Kind.JSON, Shape.MAP, key=Kind.UINT64),
                Field("first", "first", 9, Kind.JSON, oneof="get_reset"),
                Field("second", "second", 10, Kind.ENUM, type_name="error", oneof="get_reset"),
            ),
        ),
        Message("raws", (Field("all", "all", 1, Kind.BYTES, Shape.MANY),), wrapped=True),
        Message("names", (Field("all", "all", 1, Kind.ENUM, Shape.MAP, "error"),), wrapped=True),
        Message("word", (Field("one", "one", 1, Kind.STRING),), wrapped=True),
        Message("tree_2", (Field("trees", "trees", 1, Kind.MESSAGE, Shape.MANY, "tree_2"),), wrapped=True),
    ),
    (
        OwnCall("go", "func", "func"),
        OwnCall("_select", "names", "raws"),
        OwnCall("Send_all", "tree_2", "word"),
    ),
    (Enumeration("error", (("nil", 0), ('a "b"', 1), ("naïve", -1))),),
)
_FUNC: Json = {
    "type": "t",
    "a b": 0,
    "-": None,
    "größe/x": 1e300,
    "Reset": 2**64 - 1,
    "proto": [["AAE=", ""], []],
    "byTruth": {"true": "AA==", "false": ""},
    "byNumber": {"18446744073709551615": [1, {"x": None}], "2": "y"},
    "second": "naïve",
}
_ANOTHER: Json = {"type": "", "-": False, "proto": [], "byTruth": {}, "byNumber": {}, "first": {"é": [True, 0.5]}}
ODD = replace(
    SERVICE,
    schema=_ODD,
    payloads={
        "go": (Pair(_FUNC, _ANOTHER), Pair(_ANOTHER, _FUNC)),
        "_select": (Pair({"x": 'a "b"'}, ["AAE="]), Pair({}, [])),
        "Send_all": (Pair([[], [[]]], "three"), Pair([], "")),
    },
)


def test_names_of_go_and_of_its_generators_are_names_of_a_service_too(tmp_path: Path) -> None:
    """And every key that a tag can hold, of maps and of messages that stand for their only field."""
    with Runner(built(ODD, tmp_path), ODD) as runner:
        for stack in (JSON, GRPC):
            runner.serve_and_connect(stack)
            every_pair_comes_back(runner, ODD)
            runner.does("stop-serving", "stopped-serving")


@pytest.mark.parametrize("key", ["a,b", 'quo"te', "back\\slash", "", "line\n", "😀"])
def test_a_key_that_no_tag_can_hold_is_refused_with_its_place(key: str, tmp_path: Path) -> None:
    message = Message("Order", (Field("price", key, 1, Kind.INT32),))
    service = replace(SERVICE, schema=Schema("Orders", (message,), (OwnCall("Place", "Order", "Order"),)))
    with pytest.raises(BadInput, match=r"encoding/json.*Order"):
        built(service, tmp_path)


def test_an_older_go_carries_json_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library for gRPC needs a newer one; its stack is there, and says so."""
    monkeypatch.setattr(program, "_version", lambda _: (1, 25, 9))
    with Runner(built(ODD, tmp_path), ODD) as runner:
        assert runner.stacks == [JSON, GRPC]
        runner.serve_and_connect(JSON)
        every_pair_comes_back(runner, ODD)
        with pytest.raises(Refused):
            runner.does("connect", "connected", stack=GRPC, endpoint="127.0.0.1:1", clients=1, timeout_ms=1000)


def test_without_go_one_sentence_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(BadInput, match="callbench setup go"):
        built(ODD, tmp_path)
