"""`soak`, `capacity` and `overload` by agents on two hosts, against a server that knows each call."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from test_generators_on_hosts import Lab, pytestmark

from conftest import assert_one_sentence

__all__ = ["pytestmark"]
# One call after the other, so n clients wait n times as long, and a lateness of the machine only adds to it.
CALL_S = 0.02


@pytest.fixture
def lab_of(tmp_path: Path) -> Iterator[Callable[[float], Lab]]:
    with ExitStack() as stack:
        yield lambda seconds: Lab(tmp_path, 2, stack, seconds=seconds)


def lines_of(record: Path, *kinds: str) -> list[dict[str, Any]]:
    """The lines of these kinds of a record's journal."""
    lines = [json.loads(line) for line in (record / "journal.jsonl").read_text().splitlines()]
    return [line for line in lines if line["kind"] in kinds]


def made(line: dict[str, Any]) -> int:
    """The calls of a slice, answered or not."""
    return int(line["calls"]) + int(sum(line["errors"].values()))


def test_a_soak_counts_as_its_server_does(lab_of: Callable[[float], Lab], tmp_path: Path) -> None:
    """The server has each call of both hosts, and the one look at it, to the last one."""
    lab = lab_of(0.0)
    words = ("--clients", "1,4", "--seconds", 2, "--rest", 0, "--any-host", "--out", "soaked")
    ran = lab.run("soak", lab.url, "--hosts", "g2,g3", *words, cwd=tmp_path)
    assert ran.returncode in {0, 3}, ran.stderr
    slices = lines_of(tmp_path / "soaked", "slice")
    counts = lab.counts()
    assert sum(counts.values()) == sum(made(line) for line in slices) + 1
    assert {line["clients"] for line in slices} == {1, 4}
    # One client is on the first host alone.
    assert 0 < counts[lab.host_of("g3").address] <= sum(made(line) for line in slices if line["clients"] == 4)
    hosts = json.loads((tmp_path / "soaked" / "environment.json").read_text())["hosts"]
    assert {side: host["name"] for side, host in hosts.items()} == {"client": "g2", "client 2": "g3"}
    # It is finished: nothing is asked of the server or of a host any more.
    again = lab.run("soak", lab.url, "--hosts", "g2,g3", *words, "--resume", cwd=tmp_path)
    assert again.returncode == ran.returncode, again.stderr
    assert lab.counts() == counts
    shared = lines_of(tmp_path / "soaked", "histogram")
    assert sum(count for line in shared for _, count in line["buckets"]) == sum(line["calls"] for line in slices)


def test_a_capacity_is_searched_by_all_hosts(lab_of: Callable[[float], Lab], tmp_path: Path) -> None:
    """More clients than fit into the objective cannot hold, whatever the machine does: five wait 100 ms each."""
    lab = lab_of(CALL_S)
    objective = ("--objective", "p90 under 90 ms", "--seconds", 6)
    ran = lab.run("capacity", lab.url, "--hosts", "g2,g3", *objective, "--any-host", "--out", "searched", cwd=tmp_path)
    assert ran.returncode in {0, 3}, ran.stderr
    tried = lines_of(tmp_path / "searched", "step", "proof")
    assert not [line["level"] for line in tried if line["holds"] and line["level"] > 5]
    together = [line for line in tried if line["level"] > 1]
    assert together
    for line in together:
        load = line["load"]
        generators = load["generators"]
        assert [each["host"] for each in generators] == lab.names
        assert sum(each["clients"] for each in generators) == load["connections"] == line["level"]
        assert sum(each["calls"] for each in generators) == load["calls"]
        assert sum(each["errors"] for each in generators) == sum(line["errors"].values())
    recorded = sum(made(line["load"] | {"errors": line["errors"]}) for line in tried)
    # What is not in the record: the first look, and the calls that warm up, of which there are at most so many.
    warm = sum(0.2 * line["seconds"] / CALL_S + line["level"] for line in tried)
    assert recorded < sum(lab.counts().values()) <= recorded + 1 + warm


def test_an_overload_comes_from_all_hosts(lab_of: Callable[[float], Lab], tmp_path: Path) -> None:
    lab = lab_of(CALL_S)
    words = ("--capacity", 40, "--times", 2, "--clients", 20, "--seconds", 1, "--recovery-timeout", 3, "--rest", 0)
    ran = lab.run("overload", lab.url, "--hosts", "g2,g3", *words, "--any-host", "--out", "overloaded", cwd=tmp_path)
    assert ran.returncode in {0, 1, 3}, ran.stderr
    driven = lines_of(tmp_path / "overloaded", "slice", "over")
    counts = lab.counts()
    assert sum(counts.values()) == sum(made(line) for line in driven) + 1
    assert min(counts.values()) > 0
    shown = lab.run("show", "overloaded", "--json", cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    # 50 calls a second at most, and 80 were asked for.
    [step] = json.loads(shown.stdout)["overloads"]
    assert step["asked_per_s"] == 80
    assert step["answered_per_s"] <= 55


def test_bad_connections_come_from_one_machine(callbench: Callable[..., Any]) -> None:
    ended = callbench("torture", "http://10.78.0.1:9/", "--hosts", "g2,g3")
    assert ended.returncode == 2
    assert_one_sentence(ended.stderr.strip(), ("--hosts g2,g3", "from one machine", "run it on that host"))
