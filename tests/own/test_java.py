"""A service of the user's own in Java: its runner alone, with everything that a schema can say."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import zeep
from everything_service import ALIKE, SERVICE
from language_checks import a_refused_request_is_a_fault, every_other_value_is_seen, every_pair_comes_back
from runner_lines import Runner

from callbench.adapter.generators import java
from callbench.catalog import catalogue
from callbench.model.service.imported import Imported, Json, Pair
from callbench.model.service.schema import Enumeration, Field, Kind, Message, OwnCall, Schema, Shape
from conftest import ROOT

ADAPTER = catalogue.load([ROOT / "adapters" / "java"]).adapter("java")
STACKS = ["json+http", "grpc", "cxf-soap"]
TYPES = [
    "String",
    "Object",
    "List",
    "Override",
    "Same",
    "Calls",
    "Builder",
    "class",
    "java",
    "org",
    "FooOrBuilder",
    "Foo",
]
FIELDS = [
    "class",
    "java",
    "_",
    "_1",
    "self",
    "foo",
    "foo_count",
    "serialized_size",
    "Same",
    "same",
    "a",
    "k",
    "other",
    "it",
]
VALUES = ["new", "new_", "UNRECOGNIZED", "A", "A_VALUE", "a b", "A B", "", "7", "class", 'quo"te', "ä\u2028\n\\u0041"]

pytestmark = [
    pytest.mark.java,
    pytest.mark.skipif(ADAPTER.why_not is not None, reason=str(ADAPTER.why_not)),
    pytest.mark.usefixtures("nothing_left"),
]


@pytest.fixture(scope="module")
def cached(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One cache for the whole file, so that a service is compiled once."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("cache")
        patch.setenv("XDG_CACHE_HOME", str(folder))
        # What is compiled for speed here is never fast enough to have paid for it.
        patch.setenv("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1")
        yield folder


@contextmanager
def serving_each(service: Imported, cached: Path) -> Iterator[Iterator[Runner]]:
    """A runner that serves each stack in turn."""

    def each(runner: Runner) -> Iterator[Runner]:
        assert set(runner.stacks) == set(STACKS)
        for stack in STACKS:
            runner.serve_and_connect(stack)
            yield runner
            runner.stop_serving()

    with Runner(java.built(service, cached), service) as runner:
        yield each(runner)


def test_every_pair_comes_back_and_every_other_value_is_seen(cached: Path) -> None:
    """And a request that is in no pair gets the sentence of the host."""
    with serving_each(SERVICE, cached) as each:
        for runner in each:
            every_pair_comes_back(runner, SERVICE)
            every_other_value_is_seen(runner, SERVICE)
            a_refused_request_is_a_fault(runner)


def test_another_soap_library_reads_the_wsdl_and_is_answered(cached: Path) -> None:
    """With the elements and types of the generated WSDL, which the server hands out."""
    with Runner(java.built(SERVICE, cached), SERVICE) as runner:
        endpoint = runner.serve_and_connect("cxf-soap", clients=1)
        # The server asks for each answer here, where the runner is heard. From then on it has them.
        for call in ("Grow", "Transpose"):
            runner.prepare(call, SERVICE.payloads[call][0])
            runner.call()
        limited = zeep.Transport(operation_timeout=60)  # type: ignore[no-untyped-call]
        wsdl = f"{endpoint.rpartition('/')[0]}/own?wsdl"
        client = zeep.Client(wsdl, transport=limited)  # type: ignore[no-untyped-call]
        tree = client.service.Grow({"type": "oak", "self": 1})
        assert (tree.name, tree.child.name, tree.leaves[0].leaves[0].name) == ("root", "one", "three")
        rows = client.service.Transpose({"rows": [{"cells": [1.5, 2.0]}, {"cells": [3.0, 4.0]}]})
        assert [row.cells for row in rows] == [[1.5, 3.0], [2.0, 4.0]]


def _names() -> Imported:
    """Names and keys that mean something to Java, or to what is generated."""
    enumeration = Enumeration("enum", tuple((name, number) for number, name in enumerate(VALUES)))
    fields = [Field(name, f'{name} \u2028"\\', number, Kind.INT32) for number, name in enumerate(FIELDS, 1)]
    fields.append(Field("values", "values", 100, Kind.ENUM, Shape.MANY, "enum"))
    fields += [
        Field(f"m{number}", f"<{one}>", 200 + number, Kind.MESSAGE, Shape.ONE, one) for number, one in enumerate(TYPES)
    ]
    types = [Message(one, (Field("v", one, 1, Kind.BOOL, Shape.MAP, key=Kind.UINT64),)) for one in TYPES]
    schema = Schema("new", (Message("int", tuple(fields)), *types), (OwnCall("void", "int", "int"),), (enumeration,))
    value: dict[str, Json] = {f'{name} \u2028"\\': number for number, name in enumerate(FIELDS)}
    value["values"] = list(VALUES)
    value.update({f"<{one}>": {one: {"18446744073709551615": True}} for one in TYPES})
    return replace(SERVICE, schema=schema, payloads={"void": (Pair(value, value),)})


@pytest.mark.parametrize("service", [_names(), ALIKE], ids=["any name of a schema", "a call with a message's name"])
def test_every_name_is_one_in_java(cached: Path, service: Imported) -> None:
    with serving_each(service, cached) as each:
        for runner in each:
            every_pair_comes_back(runner, service)
