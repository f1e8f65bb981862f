"""A service of the user's own in Python: its runner alone, with everything that a schema can say."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from everything_service import SERVICE
from language_checks import every_other_value_is_seen, every_pair_comes_back
from runner_lines import Runner

from callbench.adapter.generators import python
from callbench.catalog import catalogue
from callbench.model.service.imported import Json, Pair
from callbench.model.service.schema import Field, Kind, Message, OwnCall, Schema
from conftest import ROOT

ADAPTER = catalogue.load([ROOT / "adapters" / "python"]).adapter("python")
SIDES = [
    ("json+httpx", "json+httpx"),
    ("json+httpx-async", "json+uvicorn-workers"),
    ("json+aiohttp", "json+httpx"),
    ("protobuf+grpc", "protobuf+grpc"),
    ("protobuf+grpc-async", "protobuf+grpc"),
]

pytestmark = [
    pytest.mark.python,
    pytest.mark.skipif(ADAPTER.why_not is not None, reason=str(ADAPTER.why_not)),
    pytest.mark.usefixtures("nothing_left"),
]


@pytest.fixture
def cache_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


@pytest.fixture
def runner(cache_of_its_own: None, tmp_path: Path) -> Iterator[Runner]:  # noqa: ARG001 - first
    with Runner(python.built(SERVICE, tmp_path), SERVICE) as running:
        yield running


@pytest.mark.parametrize(("client", "server"), SIDES)
def test_every_pair_comes_back_as_the_user_wrote_it(runner: Runner, client: str, server: str) -> None:
    runner.serve_and_connect(server, client)
    every_pair_comes_back(runner, SERVICE)


@pytest.mark.parametrize("stack", ["json+httpx", "protobuf+grpc"])
def test_an_answer_that_differs_in_one_value_is_wrong(runner: Runner, stack: str) -> None:
    runner.serve_and_connect(stack)
    every_other_value_is_seen(runner, SERVICE)


@pytest.mark.usefixtures("cache_of_its_own")
@pytest.mark.parametrize("stack", ["json+httpx", "protobuf+grpc"])
def test_any_name_that_a_schema_can_have_is_one_in_python(tmp_path: Path, stack: str) -> None:
    """Keys that are not identifiers, or mean something to Python."""
    keys = ["__class__", "None", "class", "a b", 'quo"te', "ä\u2028", "\n", '"""', "\U0001f600"]
    fields = [Field(f"field_{number}", key, number, Kind.BYTES) for number, key in enumerate(keys, 1)]
    schema = Schema("Names", (Message("class", tuple(fields)),), (OwnCall("def", "class", "class"),))
    value: Json = dict.fromkeys(keys, "AAEC")
    service = replace(SERVICE, schema=schema, payloads={"def": (Pair(value, value),)})
    with Runner(python.built(service, tmp_path), service) as runner:
        runner.serve_and_connect(stack)
        every_pair_comes_back(runner, service)
