"""Manifests: what is found, what a broken one says, and why a program cannot run here."""

from pathlib import Path

import pytest

from callbench.catalog import catalogue, manifest
from callbench.model.errors import BadInput
from conftest import ROOT

GOOD = """
contract = 1
name = "mine"
language = "python"
program = ["./run"]
setup = "make mine"
[libraries]
quick-xml = "0.42"
hyper = "1.12"
[card]
waits = "blocks"
[[stack]]
name = "rmi"
message = "java-serialization"
channel = "tcp"
lacks = [{ check = "Send/string-nul", why = "XML has no NUL" }]
[matrix.message.soap]
library = "quick-xml"
about = "SOAP 1.1"
lacks = [{ check = "EchoString/nul", why = "XML has no NUL" }]
[matrix.message.json]
[matrix.channel.tcp]
nagle = "off"
[matrix.channel.http]
library = "hyper"
about = "kept"
waits = "polls"
[matrix.stack."json+http"]
protocol = "json-rpc"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "adapter.toml").write_text(GOOD)
    program = tmp_path / "run"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return tmp_path


def test_a_channel_says_what_it_carries(folder: Path) -> None:
    file = folder / "adapter.toml"
    file.write_text(GOOD.replace('nagle = "off"', 'nagle = "off"\ncarries = ["json"]'))
    stacks = {stack.id: stack for stack in manifest.read(file).stacks}
    assert list(stacks) == ["mine/rmi", "mine/soap+http", "mine/json+tcp", "mine/json+http"]
    assert "carries" not in stacks["mine/json+tcp"].card


def test_the_matrix_is_written_out(folder: Path) -> None:
    stacks = {stack.id: stack for stack in manifest.read(folder / "adapter.toml").stacks}
    assert list(stacks) == ["mine/rmi", "mine/soap+tcp", "mine/soap+http", "mine/json+tcp", "mine/json+http"]
    both = stacks["mine/soap+http"]
    assert (both.message, both.channel, both.library, both.version) == (
        "soap",
        "http",
        "quick-xml + hyper",
        "0.42 + 1.12",
    )
    assert both.card == {"roles": "both", "waits": "polls", "about": "SOAP 1.1; kept"}
    assert both.lacks == {"EchoString/nul": "XML has no NUL"}
    assert stacks["mine/json+tcp"].card == {"roles": "both", "waits": "blocks", "nagle": "off"}
    assert stacks["mine/json+http"].card == {"roles": "both", "waits": "polls", "about": "kept", "protocol": "json-rpc"}


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("contract = 1", "contract = 2", "is for contract version 2; this Callbench speaks version 1"),
        ("contract = 1", "contract = ", "is not TOML"),
        ('name = "mine"', "", "the key name is missing"),
        ('setup = "make mine"', 'set-up = "make mine"', "the key set-up is not known: about, card,"),
        ('waits = "blocks"', 'wait = "blocks"', "the key card.wait is not known: about, backend,"),
        ('channel = "tcp"', "", "the stack rmi has no channel"),
        ('name = "rmi"', 'name = "soap+tcp"', "has the stack mine/soap+tcp twice"),
        ('"json+http"', '"json+pigeon"', "the matrix has no stack json+pigeon"),
        ('nagle = "off"', 'roles = "clown"', "matrix.channel.tcp.roles: input should be 'both'"),
        ('nagle = "off"', 'carries = ["soup"]', "the channel tcp carries soup, which is no message of the matrix"),
        ('program = ["./run"]', "program = []", "program: "),
        (
            'program = ["./run"]',
            'program = ["./run"]\nhosted = true',
            "hosted is true: it must be true where program is",
        ),
        (
            'program = ["./run"]',
            'program = ["a/callbench-host", "mine", "b"]',
            "hosted is false: it must be true where",
        ),
        (
            'program = ["./run"]',
            'program = ["a/callbench-host", "b"]\nhosted = true',
            "program must be callbench-host, the name mine, and then the runner's own command",
        ),
        (
            'lacks = [{ check = "Send',
            'request = { paht = "/" }\nlacks = [{ check = "Send',
            "the key stack.0.request.paht",
        ),
        ('lacks = [{ check = "Send', 'request = { path = "x" }\nlacks = [{ check = "Send', "stack.0.request.path: "),
        (
            'lacks = [{ check = "Send',
            'request = { body = "a", body_file = "b" }\nlacks = [{ check = "Send',
            "body, body_file and body_hex exclude each other",
        ),
    ],
)
def test_a_broken_manifest_is_one_sentence(folder: Path, old: str, new: str, says: str) -> None:
    file = folder / "adapter.toml"
    file.write_text(GOOD.replace(old, new, 1))
    with pytest.raises(BadInput) as raised:
        manifest.read(file)
    assert str(file) in str(raised.value)
    assert says in str(raised.value)
    assert catalogue.load([folder]).broken == (str(raised.value),)


def test_two_of_a_name_are_reported(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "adapter.toml").write_text(GOOD)
    known = catalogue.load([folder, other])
    assert len(known.adapters) == 1
    assert "rename one of them" in known.broken[0]


def elf(machine: int) -> bytes:
    return b"\x7fELF\x02\x01\x01" + bytes(9) + (2).to_bytes(2, "little") + machine.to_bytes(2, "little") + bytes(44)


@pytest.mark.parametrize(
    ("content", "mode", "says"),
    [
        (None, 0, "is missing: run `make mine`"),
        (b"#!/bin/sh\n", 0o644, "is not executable: run `make mine`"),
        (elf(8), 0o755, "was built for another machine: run `make mine`"),
        (b"MZ\x90\x00", 0o755, "is not a program of this system: run `make mine`"),
        (b"", 0o755, "is not a program of this system: run `make mine`"),
    ],
)
def test_why_it_cannot_run(folder: Path, content: bytes | None, mode: int, says: str) -> None:
    program = folder / "run"
    program.unlink()
    if content is not None:
        program.write_bytes(content)
        program.chmod(mode)
    known = catalogue.load([folder])
    assert says in (known.stack("mine/rmi").why_not or "")
    assert not known.stack("mine/rmi").available


def test_a_hosted_one_cannot_run_without_its_runner(folder: Path) -> None:
    (folder / "run").rename(folder / "callbench-host")
    hosted = 'program = ["./callbench-host", "mine", "target/runner", "here"]\nhosted = true'
    (folder / "adapter.toml").write_text(GOOD.replace('program = ["./run"]', hosted))
    known = catalogue.load([folder])
    runner = str(folder / "target" / "runner")
    assert known.adapter("mine").manifest.program[1:] == ("mine", runner, "here")
    assert known.stack("mine/rmi").why_not == f"its program {runner} is missing: run `make mine`"


def test_a_name_that_is_not_known_suggests_near_ones(folder: Path) -> None:
    known = catalogue.load([folder])
    with pytest.raises(BadInput, match=r"did you mean mine/soap\+tcp"):
        known.stack("mine/soap+tpc")
    with pytest.raises(BadInput, match="did you mean mine/rmi"):
        known.stack("rmi")


def test_every_manifest_of_the_house_is_whole() -> None:
    files = sorted(ROOT.glob("*/*/adapter.toml")) + sorted(ROOT.glob("contract/misbehaving/*/adapter.toml"))
    assert files
    for file in files:
        assert manifest.read(file).stacks
