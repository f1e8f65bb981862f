"""A stack is added in its manifest and in no other place of the core."""

import ast
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from advice.orders import order_of, service_of
from callbench.catalog import catalogue, shared_facts
from callbench.catalog.encoders.codings import coding_of, uncoded
from callbench.catalog.formats import why_not_in, why_not_in_browsers, why_not_readable
from callbench.catalog.own import study as own_study
from callbench.catalog.situation.file import situation_of
from callbench.catalog.study import load
from callbench.model.cell import DISSECTOR, FORMAT, Cell, Load
from callbench.runner.advice.candidates import chosen
from callbench.runner.reference.echoes import available_echoes, echoes, has_own_echo
from callbench.runner.reference.references import references
from callbench.runner.wire import exchange
from callbench.runner.wire.capture import Packet
from callbench.store.head import RUN, head
from callbench.store.record import Record
from conftest import ROOT

MESSAGE = """
[matrix.message.runes]
about = "a message that Callbench does not have"
library = "none"
format = { text = false, languages = ["cobol"], source = "the test" }
message_options = ["hammer"]

"""
CHANNEL = """
[matrix.channel.carrier-gzip]
about = "a channel that Callbench does not have"
callers = "own"
tls = true
usual_in = ["service", "advice"]
coding = "gzip"
dissector = "ipoac"
no_echo_with = ["pigeons"]
times_codec = true

[matrix.stack."runes+carrier-gzip"]
reference = { call = "Sum", arguments = { a = 3, b = 4 } }

"""
# Words that mean something else in the core too: forms of output, schemes of URLs, members of records, roles, folders.
COMMON = {
    "json", "http", "https", "tcp", "unix", "library", "xml", "none", "any", "h2", "grpc", "soap", "avro", "pipe",
    "echo", "in-process", "bin", "protobuf",
}  # fmt: skip
ELSEWHERE = ("adapter/generators", "catalog/imports", "catalog/encoders")


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    """The native manifest with a message and a channel more, and a program that can be started."""
    text = (ROOT / "engine/native/adapter.toml").read_text()
    text = text.replace("[matrix.message.soap]", f"{MESSAGE}[matrix.message.soap]")
    text = text.replace("[matrix.channel.inproc]", f"{CHANNEL}[matrix.channel.inproc]")
    text = text.replace("../target/release/callbench-native", "./program")
    file = tmp_path / "engine/native/adapter.toml"
    file.parent.mkdir(parents=True)
    file.write_text(text)
    program = file.with_name("program")
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return file


@pytest.fixture
def known(manifest: Path) -> catalogue.Catalogue:
    return catalogue.load([manifest.parent])


def test_a_message_is_known_by_its_card(known: catalogue.Catalogue) -> None:
    card = known.stack("native/runes+tcp").card
    assert why_not_in("runes", card, "cobol") is None
    assert why_not_in("runes", card, "java") == "no kept library of runes for java is known"
    assert why_not_in_browsers("runes", card) is not None
    assert why_not_readable("runes", card) == "runes is binary"


def test_a_channel_is_known_by_its_card(known: catalogue.Catalogue) -> None:
    stack = known.stack("native/runes+carrier-gzip")
    assert (coding_of(stack.card), uncoded(stack.channel, stack.card)) == ("gzip", "carrier")
    waits = Cell("c", "c", stack.id, "Sum", {}, Load(1, 1, 0.01), options={"pigeons": 3})
    assert not has_own_echo(waits, stack.card)


def test_an_echo_has_none_of_the_options_of_a_message(known: catalogue.Catalogue) -> None:
    stack = known.stack("native/runes+tcp")
    cell = Cell("c", "c", stack.id, "Sum", {}, Load(1, 1, 0.01), options={"hammer": 3, "of the channel": 1})
    sizes = {("native", "runes", "c"): (10, 10)}
    found = echoes([cell], {stack.id: stack}, sizes, available_echoes(catalogue.load([ROOT / "engine"])), quick=True)
    assert [one.options for one in found if one.cells] == [{"of the channel": 1}]


def test_the_usual_studies_have_it(
    known: catalogue.Catalogue, manifest: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That of a service, and what is measured for an advice."""
    service = service_of(tmp_path, order_of(500))
    said = situation_of({"links": [{"link": "25ms,2mbit"}]}, "the test")
    assert "native/runes+carrier-gzip" in chosen(service, known, said).stacks
    monkeypatch.setattr(own_study, "home", lambda: manifest.parents[2])
    own_study.usual_channels.cache_clear()
    try:
        stacks = {cell.stack for cell in load(service).cells(known.every, quick=True)}
    finally:
        own_study.usual_channels.cache_clear()
    assert "native/json+carrier-gzip" in stacks
    assert "native/json+http2" not in stacks


def test_a_batch_drives_the_stacks_whose_cards_say_so(known: catalogue.Catalogue) -> None:
    found = {one.cell.stack: (one.cell.call, one.cell.arguments) for one in references(known)}
    assert found["native/runes+carrier-gzip"] == ("Sum", {"a": 3, "b": 4})
    ours = references(catalogue.load([ROOT / "engine"]))
    assert [one.cell.stack for one in ours] == ["native/bin+tcp", "native/json+inproc"]


def test_its_captures_are_read_by_its_dissector(
    known: catalogue.Catalogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack = known.stack("native/runes+carrier-gzip")
    asked: list[str | None] = []

    def packets(_capture: Path, _connections: int, dissector: str | None) -> list[Packet]:
        asked.append(dissector)
        return []

    monkeypatch.setattr(exchange, "last_connections", packets)
    monkeypatch.setattr(exchange, "_counted", lambda _: ([("c1", stack.id, "g", "Sum", "{}")], {"c1": 1}))
    record = tmp_path / "record"
    record.mkdir()
    (record / "record.json").write_text(json.dumps(head(RUN, "", {})))
    (record / "plan.json").write_text(json.dumps({"stacks": [{"id": stack.id, "card": dict(stack.card)}]}))
    assert [one.stack for one in exchange.exchanges(Record(record), [], None)] == [stack.id]
    assert asked == ["ipoac"]


def test_what_one_card_says_of_a_message_or_a_channel_goes_for_others(manifest: Path, tmp_path: Path) -> None:
    other = tmp_path / "other/adapter.toml"
    other.parent.mkdir()
    other.write_text(
        'contract = 1\nname = "other"\nlanguage = "cobol"\nprogram = ["./program"]\n[[stack]]\nname = "a"\n'
        'message = "runes"\nchannel = "carrier-gzip"\n[[stack]]\nname = "b"\nmessage = "runes"\nchannel = "tcp"\n'
        'dissector = "its own"\n'
    )
    known = catalogue.load([manifest.parent, other.parent])
    card = known.stack("other/a").card
    assert card[FORMAT] == known.stack("native/runes+tcp").card[FORMAT]
    assert card[DISSECTOR] == "ipoac"
    assert known.stack("other/b").card[DISSECTOR] == "its own"
    assert set(shared_facts.OF_CHANNEL) <= card.keys()


def test_the_core_names_no_message_and_no_channel() -> None:
    """Outside of what imports, generates or encodes one format, a file or folder each."""
    stacks = catalogue.load([ROOT / "engine", ROOT / "adapters"]).stacks
    names = {name for stack in stacks for name in (stack.message, stack.channel)} - COMMON
    found = [(place, name) for place, name in _texts() if name in names]
    assert sorted(found) == sorted(KNOWN)


def _texts() -> Iterator[tuple[str, str]]:
    source = ROOT / "src/callbench"
    for file in sorted(source.rglob("*.py")):
        place = str(file.relative_to(source))
        if place.startswith(ELSEWHERE):
            continue
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield place, node.value


# What is left, and why.
KNOWN = [
    ("analysis/advice/advice.py", "http-keepalive"),  # the ordinary stack, which an advice always compares with
    ("catalog/external.py", "http-keepalive"),  # the channel of a server that is named by its URL
    ("report/advice/words.py", "http2"),  # says whether HTTP/2 was measured
]
