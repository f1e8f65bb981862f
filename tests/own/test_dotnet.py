"""A service of the user's own in C#: its runner alone, with everything that a schema can say."""

import http.client
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import tomli_w
from everything_service import ALIKE, ALL, FULL, SCHEMA, SERVICE
from language_checks import every_other_value_is_seen, every_pair_comes_back
from lxml import etree
from runner_lines import Refused, Runner

from callbench.adapter import placement
from callbench.adapter.generators import csharp, dotnet
from callbench.catalog import catalogue
from callbench.catalog.own import folder
from callbench.model.errors import BadInput
from callbench.model.service.imported import Imported, Json, Pair
from callbench.model.service.schema import Enumeration, Field, Kind, Message, OwnCall, Schema, Shape
from callbench.runner.verify import own_calls
from conftest import ROOT

ADAPTER = catalogue.load([ROOT / "adapters" / "dotnet"]).adapter("dotnet")
JSON, WCF = "json+http", "wcf-basichttp-channel"
STACKS = (JSON, WCF)
NAMESPACE = csharp.NAMESPACE

pytestmark = [
    pytest.mark.dotnet,
    pytest.mark.skipif(ADAPTER.why_not is not None, reason=str(ADAPTER.why_not)),
    pytest.mark.usefixtures("nothing_left"),
]


def _typed() -> Imported:
    """The service with everything, but for values of no type: WCF has none."""
    keys = {field.json_name for field in ALL.fields if field.kind is Kind.JSON}
    fields = tuple(field for field in ALL.fields if field.json_name not in keys)
    pairs = SERVICE.payloads["SendEverything"]
    typed = tuple(Pair(*(_without(keys, value) for value in (pair.request, pair.answer))) for pair in pairs)
    messages = tuple(replace(one, fields=fields) if one is ALL else one for one in SCHEMA.messages)
    return replace(
        SERVICE,
        schema=replace(SCHEMA, messages=messages),
        payloads={**SERVICE.payloads, "SendEverything": typed},
    )


def _without(keys: set[str], value: Json) -> Json:
    assert isinstance(value, dict)
    return {key: its for key, its in value.items() if key not in keys}


SERVICES = {JSON: SERVICE, WCF: _typed()}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for the whole file, so that a service is compiled once."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def cached(cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    return cache


@pytest.fixture
def runner(cached: Path) -> Iterator[Runner]:
    with Runner(dotnet.built(SERVICE, cached), SERVICE) as running:
        running.serve_and_connect(JSON)
        yield running


@pytest.mark.usefixtures("cached")
@pytest.mark.parametrize("stack", STACKS)
def test_every_pair_comes_back_as_the_user_wrote_it(stack: str) -> None:
    _answered(SERVICES[stack], stack)


def test_an_answer_that_differs_in_one_value_is_wrong(runner: Runner) -> None:
    every_other_value_is_seen(runner, SERVICE)


def test_only_stacks_with_the_calls_are_there(runner: Runner) -> None:
    assert set(runner.stacks) == {stack.id.removeprefix("dotnet/") for stack in ADAPTER.stacks if stack.own}
    assert set(runner.stacks) == set(STACKS)


def test_wcf_says_that_it_has_no_value_without_a_type(cached: Path) -> None:
    with Runner(dotnet.built(SERVICE, cached), SERVICE) as running:
        running.serve_and_connect(WCF)
        running.prepare("SendEverything", *SERVICE.payloads["SendEverything"])
        with pytest.raises(Refused, match="cannot-carry"):
            running.call()


def test_a_client_of_soap_that_is_not_wcf_gets_the_answer(cached: Path) -> None:
    """What it must write is what WCF's document/literal style says, with the names of the schema."""
    asked = b"""<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><Grow xmlns="%b"><request>
        <type>oak</type><self>1</self></request></Grow></s:Body></s:Envelope>""" % NAMESPACE.encode()
    with Runner(dotnet.built(SERVICE, cached), SERVICE) as running:
        place = urlsplit(running.serve_and_connect(WCF))
        # From then on the server has the answer: nobody listens to its questions while we wait for another client's.
        running.prepare("Grow", *SERVICE.payloads["Grow"])
        running.call()
        connection = http.client.HTTPConnection(place.netloc, timeout=30)
        connection.request("POST", place.path, asked, {"Content-Type": "text/xml; charset=utf-8", "SOAPAction": '""'})
        answer = etree.fromstring(connection.getresponse().read())
        connection.close()
    names = {"o": NAMESPACE}
    assert answer.findtext(".//o:GrowResult/o:child/o:name", namespaces=names) == "one"
    deep = ".//o:GrowResult/o:leaves/o:Leaf/o:leaves/o:Leaf/o:name"
    assert answer.findtext(deep, namespaces=names) == "three"


@pytest.mark.slow
def test_verify_of_wcf(tmp_path: Path) -> None:
    """The host checks each pair and each last field; test_own_mixed.py has JSON. What WCF lacks is known."""
    place, stack = tmp_path / "everything", f"dotnet/{WCF}"
    folder.write(place, SERVICE)
    cells = [{"group": call.name, "call": call.name, "stacks": [stack]} for call in SCHEMA.calls]
    (place / "study.toml").write_text(tomli_w.dumps({"title": "All", "cells": cells}))
    outcomes = list(own_calls.of(catalogue.load(), place, placement=placement.choose_placement()))
    assert [outcome.sentence for outcome in outcomes if outcome.fails] == []
    assert {"Grow/pair-2", "Grow/last-field", "Transpose/pair-1", "Rest/pair-1"} <= {
        outcome.check for outcome in outcomes if outcome.passed
    }
    assert {outcome.check for outcome in outcomes if outcome.lack} == {"SendEverything/pair-1", "SendEverything/pair-2"}


@pytest.mark.parametrize("stack", STACKS)
def test_a_call_may_have_the_name_of_a_message(cached: Path, stack: str) -> None:
    """Also where the server is another process: Mono's proxy is of no type then that the program knows."""
    _answered(ALIKE, stack)
    command = dotnet.built(ALIKE, cached)
    with Runner(command, ALIKE) as server, Runner(command, ALIKE) as client:
        client.connect(stack, server.serve(stack))


def test_calls_are_counted_by_their_names(runner: Runner) -> None:
    runner.prepare("Rest", Pair({}, {}))
    assert runner.drive() == (20, {})
    assert runner.does("counted", "counts")["calls"] == {"Rest": 20}


@pytest.mark.usefixtures("cached")
def test_numbers_at_their_limits() -> None:
    """Newtonsoft's tree of JSON cannot write a number above that of a long."""
    edges: Json = {**FULL, "huge": 2**64 - 1, "large": -(2**63), "realNumber": 5e-324}
    service = replace(SERVICE, payloads={"SendEverything": (Pair(edges, edges),)})
    _answered(service, JSON)


def _service(messages: tuple[Message, ...], enumerations: tuple[Enumeration, ...], *pairs: Pair) -> Imported:
    """A service whose one call, `class`, takes and answers the first message."""
    name = messages[0].name
    schema = Schema("names", messages, (OwnCall("class", name, name),), enumerations)
    return replace(SERVICE, schema=schema, payloads={"class": pairs})


def _answered(service: Imported, *stacks: str) -> None:
    for stack in stacks:
        with Runner(dotnet.built(service, Path()), service) as runner:
            runner.serve_and_connect(stack)
            every_pair_comes_back(runner, service)


@pytest.mark.usefixtures("cached")
def test_any_name_that_a_schema_can_have_is_one_in_csharp() -> None:
    """Keywords, what every class has, a class's own name, names that are one in C#, keys of any letters."""
    names = ["class", "get_type", "object", "name", "name_specified", "a_b", "ab", "aB", "_1"]
    fields = [Field(name, name, number, Kind.INT32) for number, name in enumerate(names, 1)]
    keys = ['quo"te', "back\\slash", "ä\u2028\U0001f600", "\n", "*/"]
    fields += [Field(f"key_{number}", key, number + 50, Kind.INT32) for number, key in enumerate(keys)]
    fields += [
        Field("calls", "calls", 70, Kind.MESSAGE, type_name="Calls"),
        Field("string", "string", 71, Kind.MESSAGE, type_name="String"),
        Field("object_list", "list", 72, Kind.MESSAGE, Shape.MAP, "List"),
    ]
    messages = (Message("object", tuple(fields)), *(Message(name, ()) for name in ("Calls", "String", "List")))
    numbers: dict[str, Json] = dict.fromkeys([*names, *keys], 7)
    value: Json = {**numbers, "calls": {}, "string": {}, "list": {"": {}}}
    _answered(_service(messages, (), Pair(value, value)), *STACKS)


@pytest.mark.usefixtures("cached")
def test_any_name_of_an_enumeration_arrives() -> None:
    """Newtonsoft reads no empty name, takes a comma for two flags, and does not tell cases apart."""
    values = (
        Enumeration("plain", (("int", 0), ("a-b", 1), ("a b", -1), ("1x", 2), ("ä", 3))),
        Enumeration("Cases", (("new", 0), ("New", 1), ("NEW", 2))),
        Enumeration("Commas", (("", 0), ("a, b", 1), ("a", 2))),
    )
    fields = []
    for number, (one, shape) in enumerate(((one, shape) for one in values for shape in Shape), 1):
        name = f"{one.name}_{shape}".lower()
        fields.append(Field(name, name, number, Kind.ENUM, shape, one.name))
    pairs = []
    for place in range(5):
        value: dict[str, Json] = {}
        for field, one in zip(fields, (one for one in values for _ in Shape), strict=True):
            name = one.values[place % len(one.values)][0]
            written: dict[Shape, Json] = {Shape.MANY: [name, name], Shape.MAP: {name: name}}
            value[field.json_name] = written.get(field.shape, name)
        pairs.append(Pair(value, value))
    _answered(_service((Message("All", tuple(fields)),), values, *pairs), *STACKS)


@pytest.mark.usefixtures("cached")
def test_a_message_that_stands_for_its_only_field() -> None:
    """Of every shape, also within itself, optional, and in lists."""
    messages = (
        Message(
            "All",
            (
                Field("number", "number", 1, Kind.MESSAGE, type_name="Int"),
                Field("maybe", "maybe", 2, Kind.MESSAGE, Shape.OPTIONAL, "Int", nullable=True),
                Field("numbers", "numbers", 3, Kind.MESSAGE, Shape.MANY, "Int"),
                Field("tree", "tree", 4, Kind.MESSAGE, type_name="Tree"),
                Field("map", "map", 5, Kind.MESSAGE, Shape.OPTIONAL, "Map"),
                Field("any", "any", 6, Kind.MESSAGE, type_name="Any"),
                Field("perhaps", "perhaps", 7, Kind.MESSAGE, type_name="Perhaps"),
            ),
        ),
        Message("Int", (Field("value", "value", 1, Kind.INT32),), wrapped=True),
        Message("Tree", (Field("items", "items", 1, Kind.MESSAGE, Shape.MANY, "Tree"),), wrapped=True),
        Message("Map", (Field("items", "items", 1, Kind.BYTES, Shape.MAP),), wrapped=True),
        Message("Any", (Field("value", "value", 1, Kind.JSON),), wrapped=True),
        Message("Perhaps", (Field("value", "value", 1, Kind.DOUBLE, Shape.OPTIONAL),), wrapped=True),
    )
    full: Json = {
        "number": 1,
        "maybe": 0,
        "numbers": [2, 3],
        "tree": [[], [[]]],
        "map": {"a": "AA=="},
        "any": [{"b": 1}],
        "perhaps": 0.5,
    }
    bare: Json = {"number": 0, "maybe": None, "numbers": [], "tree": [], "any": None, "perhaps": None}
    _answered(_service(messages, (), Pair(full, bare), Pair(bare, full)), JSON)


@pytest.mark.usefixtures("cached")
@pytest.mark.parametrize(("message", "value"), [("Any", None), ("Any", {"a": None}), ("Text", ""), ("Perhaps", None)])
def test_a_request_that_is_no_object(message: str, value: Json) -> None:
    kinds = {"Any": (Kind.JSON, Shape.ONE), "Text": (Kind.STRING, Shape.ONE), "Perhaps": (Kind.BOOL, Shape.OPTIONAL)}
    messages = tuple(Message(name, (Field("value", "value", 1, *kind),), wrapped=True) for name, kind in kinds.items())
    schema = Schema("plain", messages, tuple(OwnCall(f"Echo{name}", name, name) for name in kinds))
    _answered(replace(SERVICE, schema=schema, payloads={f"Echo{message}": (Pair(value, value),)}), JSON)


def test_without_the_adapter_it_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "contract").mkdir()
    (tmp_path / "contract" / "CONTRACT.md").touch()
    monkeypatch.setenv("CALLBENCH_HOME", str(tmp_path))
    with pytest.raises(BadInput, match="callbench setup dotnet"):
        dotnet.built(SERVICE, tmp_path)


def test_without_the_compiler_it_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BadInput, match="callbench setup dotnet"):
        dotnet.built(SERVICE, tmp_path)
