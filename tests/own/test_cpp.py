"""A service of the user's own in C++: its runner with everything that a schema can say."""

import socket
from collections.abc import Iterable, Iterator
from contextlib import closing
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

from callbench.adapter.generators.cpp import program
from callbench.adapter.generators.cpp.program import built
from callbench.catalog import catalogue
from callbench.model.errors import BadInput
from callbench.model.service.imported import Json, Pair
from callbench.model.service.schema import Enumeration, Field, Kind, Message, OwnCall, Schema, Shape
from conftest import ROOT

ADAPTER = catalogue.load([ROOT / "adapters" / "cpp"]).adapter("cpp")
JSON, GRPC = "json+http", "protobuf+grpc"
STACKS = [JSON, GRPC]

pytestmark = [
    pytest.mark.cpp,
    pytest.mark.skipif(ADAPTER.why_not is not None, reason=str(ADAPTER.why_not)),
    pytest.mark.usefixtures("nothing_left"),
    # gRPC's headers take long to compile where other tests run too.
    pytest.mark.timeout(900),
]


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """The runner, compiled once."""
    return built(WIDER, tmp_path_factory.mktemp("service"))


@pytest.fixture
def runner(command: tuple[str, ...]) -> Iterator[Runner]:
    with Runner(command, WIDER) as running:
        yield running


@pytest.mark.parametrize("stack", STACKS)
def test_every_pair_comes_back_as_the_user_wrote_it(runner: Runner, stack: str) -> None:
    runner.serve_and_connect(stack)
    every_pair_comes_back(runner, WIDER)


@pytest.mark.parametrize("stack", STACKS)
def test_an_answer_that_differs_in_one_value_is_wrong(runner: Runner, stack: str) -> None:
    runner.serve_and_connect(stack)
    every_other_value_is_seen(runner, WIDER)


@pytest.mark.parametrize("stack", STACKS)
def test_the_last_entry_of_a_long_map_is_looked_at(runner: Runner, stack: str) -> None:
    """In the order of the keys: a map of protobuf has none."""
    runner.serve_and_connect(stack)
    a_late_difference_is_seen(runner)


@pytest.mark.parametrize("stack", STACKS)
def test_a_request_that_the_service_refuses_is_a_fault(runner: Runner, stack: str) -> None:
    runner.serve_and_connect(stack)
    a_refused_request_is_a_fault(runner)


@pytest.mark.parametrize("stack", STACKS)
def test_a_value_that_does_not_fit_its_type_cannot_be_carried(runner: Runner, stack: str) -> None:
    runner.serve_and_connect(stack)
    for wrong in ({"small": 2**31}, {"huge": -1}, {"truth": 1}, {"text": 1}, {"color": "blue"}, {"single": 1e300}):
        with pytest.raises(Refused, match="cannot-carry"):
            runner.prepare("SendEverything", Pair({**BARE, **wrong}, BARE))


@pytest.mark.parametrize("stack", STACKS)
def test_the_server_counts_the_calls_of_the_service(runner: Runner, stack: str) -> None:
    runner.serve_and_connect(stack)
    runner.prepare("Rest", *SERVICE.payloads["Rest"])
    calls, errors = runner.drive()
    assert errors == {}
    assert runner.does("counted", "counts")["calls"] == {"Rest": calls}


@pytest.mark.parametrize("stack", STACKS)
def test_a_server_that_has_gone_is_a_closed_connection(runner: Runner, stack: str) -> None:
    runner.serve_and_connect(stack)
    runner.prepare("Rest", *SERVICE.payloads["Rest"])
    runner.does("stop-serving", "stopped-serving")
    calls, errors = runner.drive()
    assert calls == 0
    assert sum(errors.values()) == 20
    assert "closed" in errors


@pytest.mark.parametrize(("stack", "scheme"), [(JSON, "http://"), (GRPC, "")])
def test_a_port_at_which_nobody_listens_refuses_the_connection(runner: Runner, stack: str, scheme: str) -> None:
    with closing(socket.socket()) as mute:
        mute.bind(("127.0.0.1", 0))
        endpoint = f"{scheme}127.0.0.1:{mute.getsockname()[1]}"
        with pytest.raises(Refused, match="refused"):
            runner.does(
                "connect", "connected", stack=stack, endpoint=endpoint, clients=2, timeout_ms=60_000, options={}
            )


def test_a_server_that_does_not_answer_is_a_timeout(runner: Runner) -> None:
    """Also where it takes the connection: Beast has no time-out of its own there."""
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        endpoint = f"http://127.0.0.1:{silent.getsockname()[1]}/json"
        runner.does("connect", "connected", stack=JSON, endpoint=endpoint, clients=1, timeout_ms=50, options={})
        runner.prepare("Rest", *SERVICE.payloads["Rest"])
        with pytest.raises(Refused, match="timeout"):
            runner.does("call", "returned")


@pytest.mark.parametrize("stack", STACKS)
def test_a_port_that_is_taken_is_reported_and_the_server_continues(
    runner: Runner, command: tuple[str, ...], stack: str
) -> None:
    """Stock gRPC would share it with another server of gRPC."""
    endpoint = runner.serve_and_connect(stack)
    taken = int(endpoint.removesuffix("/json").rpartition(":")[2])
    with Runner(command, WIDER) as other:
        with pytest.raises(Refused, match="out-of-resources"):
            other.does("serve", "serving", stack=stack, host="127.0.0.1", port=taken, delays={}, options={})
        other.serve_and_connect(stack)
        every_pair_comes_back(other, WIDER)


@pytest.mark.parametrize("stack", STACKS)
def test_many_clients_have_a_connection_each(runner: Runner, stack: str) -> None:
    """And a server stops while they are connected."""
    runner.serve_and_connect(stack, clients=50)
    runner.prepare("Grow", *SERVICE.payloads["Grow"])
    assert runner.drive(500) == (500, {})
    runner.does("stop-serving", "stopped-serving")
    runner.serve_and_connect(stack)
    every_pair_comes_back(runner, WIDER)


_ODD = Schema(
    "time",
    (
        Message(
            "class",
            (
                Field("class", "class", 1, Kind.STRING),
                Field("range", "a b", 2, Kind.INT32, Shape.OPTIONAL),
                Field("_private", ')json"', 3, Kind.BOOL, Shape.OPTIONAL, nullable=True),
                Field("descriptor", "größe/x", 4, Kind.DOUBLE, Shape.OPTIONAL),
                Field("errno", "\\\n\0??=", 5, Kind.UINT64, Shape.OPTIONAL),
                Field("std", "😀", 6, Kind.MESSAGE, Shape.MANY, "std"),
                Field("by_truth", "byTruth", 7, Kind.BYTES, Shape.MAP, key=Kind.BOOL),
                Field("by_number", "byNumber", 8, Kind.JSON, Shape.MAP, key=Kind.UINT64),
                Field("first", "first", 9, Kind.JSON, oneof="int"),
                Field("second", "second", 10, Kind.ENUM, type_name="EOF", oneof="int"),
                Field("has_range", "hasRange", 11, Kind.BOOL),
                Field("clear_class", "clearClass", 12, Kind.BOOL),
                Field("New", "New", 13, Kind.BOOL),
                Field("swap", "", 14, Kind.BYTES, Shape.MANY),
            ),
        ),
        Message("std", (Field("all", "all", 1, Kind.BYTES, Shape.MANY),), wrapped=True),
        Message("Service", (Field("all", "all", 1, Kind.ENUM, Shape.MAP, "EOF"),), wrapped=True),
        Message("NULL", (Field("one", "one", 1, Kind.STRING),), wrapped=True),
        Message("tree_2", (Field("trees", "trees", 1, Kind.MESSAGE, Shape.MANY, "tree_2"),), wrapped=True),
    ),
    (
        OwnCall("delete", "class", "class"),
        OwnCall("_select", "Service", "std"),
        OwnCall("AsyncDelete", "tree_2", "NULL"),
        OwnCall("Stub", "NULL", "NULL"),
        OwnCall("EOF", "NULL", "NULL"),
    ),
    (Enumeration("EOF", (("nil", 0), ('a "b"', 1), ("naïve", -1), ("NULL", 7))),),
)
_CLASS: Json = {
    "class": "t",
    "a b": 0,
    ')json"': None,
    "größe/x": 1e300,
    "\\\n\0??=": 2**64 - 1,
    "😀": [["AAE=", ""], []],
    "byTruth": {"true": "AA==", "false": ""},
    "byNumber": {"18446744073709551615": [1, {"x": None}], "2": "y"},
    "second": "naïve",
    "hasRange": True,
    "clearClass": False,
    "New": True,
    "": ["AA=="],
}
_ANOTHER: Json = {
    "class": "",
    ')json"': False,
    "😀": [],
    "byTruth": {},
    "byNumber": {},
    "first": {"é": [True, 0.5]},
    "hasRange": False,
    "clearClass": True,
    "New": False,
    "": [],
}
ODD = replace(
    SERVICE,
    schema=_ODD,
    payloads={
        "delete": (Pair(_CLASS, _ANOTHER), Pair(_ANOTHER, _CLASS)),
        "_select": (Pair({"x": 'a "b"', "y": "NULL"}, ["AAE="]), Pair({}, [])),
        "AsyncDelete": (Pair([[], [[]]], "three"), Pair([], "")),
        "Stub": (Pair("a", "b"),),
        "EOF": (Pair("c", "d"),),
    },
)


def test_words_and_macros_of_cpp_are_names_of_a_service_too(tmp_path: Path) -> None:
    """And every key of JSON, of maps and of messages that stand for their only field."""
    with Runner(built(ODD, tmp_path), ODD) as runner:
        for stack in STACKS:
            runner.serve_and_connect(stack)
            every_pair_comes_back(runner, ODD)
            runner.does("stop-serving", "stopped-serving")


def test_without_a_tool_one_sentence_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(BadInput, match=r"g\+\+ is missing.*callbench setup cpp"):
        built(ODD, tmp_path)


def test_an_adapter_that_was_built_before_is_built_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the person who reads the sentence."""
    monkeypatch.setattr(program, "_BUILT", ("libnone.a",))
    with pytest.raises(BadInput, match="callbench setup cpp"):
        built(ODD, tmp_path)


def test_a_service_is_compiled_again_if_a_template_of_the_kit_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is in no archive, so the archives alone do not tell."""
    parts: list[bytes] = []

    def noted(_language: str, of: Iterable[bytes], _make: object) -> Path:
        parts.extend(of)
        return tmp_path

    monkeypatch.setattr(program, "kept", noted)
    built(ODD, tmp_path)
    for header in ("own/answers.hpp", "grpc/stack.hpp", "json/form.hpp", "kit/stack.hpp"):
        assert (ROOT / "adapters" / "cpp" / header).read_bytes() in parts
