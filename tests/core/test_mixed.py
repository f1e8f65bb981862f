"""Mixed stacks: which there are, what names them, and which program plays which side of one."""

import json
import re
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from callbench.catalog import catalogue, mixed, select
from callbench.catalog.study.cells import choose_stacks
from callbench.model.cell import Stack
from callbench.model.errors import BadInput
from callbench.model.request import connected_with, only_call
from conftest import MISBEHAVING

if TYPE_CHECKING:
    from callbench.model.card import RequestTable

Program = Callable[..., subprocess.CompletedProcess[str]]


def stack(
    name: str, protocol: str | None = "giop", roles: str = "both", request: object = None, **members: object
) -> Stack:
    adapter = name.partition("/")[0]
    card = {"roles": roles, "server_model": f"{adapter}'s", "nagle": "off"} | (
        {"protocol": protocol} if protocol else {}
    )
    whole: dict[str, object] = {**card, **({"request": request} if request else {})}
    known = {"lacks": {}, "why_not": None, "language": adapter} | members
    return Stack(name, adapter, "cdr", "iiop", str(known.pop("language")), f"{adapter}-orb", "1", whole, **known)  # type: ignore[arg-type]


def names(stacks: Sequence[Stack]) -> list[str]:
    return [one.id for one in mixed.every(stacks)]


def test_every_client_meets_every_other_server_of_its_protocol() -> None:
    there = [stack("a/x"), stack("b/x"), stack("c/x"), stack("d/y", "soap"), stack("e/z", None)]
    assert names(there) == ["a/x:b/x", "a/x:c/x", "b/x:a/x", "b/x:c/x", "c/x:a/x", "c/x:b/x"]


def test_one_that_only_serves_has_no_client_and_one_in_process_no_other() -> None:
    there = [stack("a/x"), stack("b/x", roles="server-only"), stack("c/x", roles="in-process")]
    assert names(there) == ["a/x:b/x"]
    assert names([stack("a/x"), stack("b/x", instrument=True)]) == []


def test_what_has_clients_only_meets_every_server_whose_card_says_how_to_call_it() -> None:
    asked: RequestTable = {"protocol": "http1", "path": "/x", "method": "POST"}
    driver = stack("load/h1", "http1", "client-only")
    there = [
        driver,
        stack("a/x", request=asked),
        stack("b/x", None, "server-only", request=asked),
        stack("c/x", "http1"),
    ]
    assert names(there) == ["load/h1:a/x", "load/h1:b/x"]
    one = mixed.of(driver, there[1])
    assert (one.message, one.channel, one.library, one.card["request"]) == ("cdr", "iiop", "a-orb", asked)
    assert only_call(one) == "Hello"
    assert only_call(there[1]) is None
    # A client of the stack's own knows how to call.
    assert "request" not in mixed.of(stack("d/x"), there[1]).card
    assert "h1 has clients only" in (mixed.suggestion_for_half("load/h1", mixed.every(there)) or "")
    assert "b/x has a server only" in (mixed.suggestion_for_half("b/x", mixed.every(there)) or "")


def test_a_client_connects_as_the_table_says_and_the_cell_overrides_it() -> None:
    asked: RequestTable = {"protocol": "http1", "path": "/x?y=1", "method": "POST", "keep_alive": True}
    found = connected_with(asked, "http://10.0.0.2:81/old?z", {"keep_alive": False})
    assert found == ("http://10.0.0.2:81/x?y=1", {"method": "POST", "keep_alive": False})
    assert connected_with({"protocol": "http1"}, "http://10.0.0.2:81/old?z", {}) == ("http://10.0.0.2:81/old?z", {})
    assert connected_with(None, "ior:00", {"a": 1}) == ("ior:00", {"a": 1})


def test_its_card_says_whose_is_what() -> None:
    one = mixed.of(stack("a/x", lacks={"nul": "mine"}), stack("b/x", lacks={"nul": "theirs", "bom": "theirs"}))
    assert (one.client, one.server, one.mixed) == ("a/x", "b/x", True)
    assert (one.adapter, one.language, one.message, one.library) == ("a:b", "a:b", "cdr", "a-orb:b-orb")
    assert one.card == {"roles": "both", "server_model": "b's", "nagle": "off", "protocol": "giop"}
    assert one.lacks == {"nul": "mine", "bom": "theirs"}
    assert mixed.of(stack("a/x"), stack("a/y")).adapter == "a"


def test_it_cannot_run_where_one_of_its_sides_cannot() -> None:
    one = mixed.of(stack("a/x"), stack("b/x", why_not="make b"))
    assert (one.available, one.why_not) == (False, "make b")
    assert mixed.of(stack("a/x", why_not="make"), stack("a/y", why_not="make")).why_not == "make"


@pytest.mark.parametrize(
    ("glob", "means"),
    [("a/*", False), ("*", False), ("a/x:b/x", True), ("a/*:b/*", True), ("*:*", True), ("b/*:a/*", False)],
)
def test_a_glob_means_a_mixed_stack_only_where_it_names_both_sides(glob: str, means: bool) -> None:
    stacks = [stack("a/x"), stack("b/x")]
    every = [*stacks, *mixed.every(stacks)]
    assert mixed.fits("a/x:b/x", glob) is means
    found = [one.id for one in choose_stacks([], every, "here", [glob])]
    assert ("a/x:b/x" in found) is means
    assert select.parse([glob]).globs == {"stack": (glob,)}


LIAR = """
import sys
sys.path.insert(0, {folder!r})
from honest import Adapter

class Liar(Adapter):
    name = "liar"
    def on_drive(self, request):
        done = super().on_drive(request)
        # Twice the calls, each in half the time: what it says is possible, and only the server's count tells.
        done["answered"] += done["calls"]
        done["calls"] *= 2
        timed = done["latency"]
        done["latency"] = timed and {{**timed, "count": 2 * timed["count"],
            "sum_ns": str(int(timed["sum_ns"]) // 2 * 2), "min_ns": timed["min_ns"] // 2,
            "max_ns": timed["max_ns"] // 2, "buckets": [[at - 128, 2 * count] for at, count in timed["buckets"]]}}
        return done

Liar().run()
"""


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The stand-in, and one whose client says twice what it did, both of one protocol."""
    text = (
        (MISBEHAVING / "honest" / "adapter.toml")
        .read_text()
        .replace('message = "json"\nchannel = "tcp"', 'message = "json"\nchannel = "tcp"\nprotocol = "lines"')
    )
    for name, program in (("honest", str(MISBEHAVING / "honest.py")), ("liar", "liar.py")):
        folder = tmp_path / "adapters" / name
        folder.mkdir(parents=True)
        said = text.replace('"../honest.py"', json.dumps(program)).replace('name = "honest"', f'name = "{name}"')
        (folder / "adapter.toml").write_text(said)
    (tmp_path / "adapters" / "liar" / "liar.py").write_text(LIAR.format(folder=str(MISBEHAVING)))
    monkeypatch.setenv("CALLBENCH_ADAPTERS", str(tmp_path / "adapters"))
    return tmp_path / "adapters"


@pytest.mark.usefixtures("nothing_left", "two")
def test_the_suite_asks_the_client_of_one_and_the_server_of_the_other(callbench: Program) -> None:
    fair = callbench("verify", "honest/tcp:liar/tcp")
    assert (fair.returncode, fair.stderr) == (0, "")
    assert "checks of 1 stack: none failed" in fair.stdout
    false = callbench("verify", "liar/*:*", "--json")
    failed = {row["check"]: row["why"] for row in json.loads(false.stdout)["checks"] if row["fails"]}
    assert false.returncode == 1
    # Of 100 calls that are asked for, no client makes 200.
    assert "liar, the client, reported what cannot be true" in failed["counts"]
    assert "it made 200 calls, of which 100 were" in failed["counts"]


STUDY = """
title = "Both ways"
[load]
calls = 20
seconds = 0.02
forks = 2
rounds = 2
minutes = 0.01
[[cells]]
group = "Sum"
stacks = ["honest/*"]
optional = ["honest/*:liar/*", "liar/*:honest/*"]
call = "Sum"
arguments = { a = 1, b = 2 }
"""


@pytest.mark.usefixtures("nothing_left", "two")
def test_a_run_has_rows_of_them_and_a_comparison_takes_them(callbench: Program, tmp_path: Path) -> None:
    (tmp_path / "both.toml").write_text(STUDY)
    callbench(
        "run", "both.toml", "--select", "honest/tcp*", "--select", "*:*", "--out", "r", "--no-baselines", check=True
    )
    sql = "SELECT DISTINCT stack, adapter, agree FROM trials JOIN cells USING (cell) ORDER BY stack"
    rows = json.loads(callbench("query", "r", sql, "--json", check=True).stdout)
    assert [tuple(row.values()) for row in rows] == [
        ("honest/tcp", "honest", True),
        ("honest/tcp:liar/tcp", "honest:liar", True),
        ("liar/tcp:honest/tcp", "liar:honest", False),
    ]
    callbench("report", "r", "--format", "html", "--out", "r.html", check=True)
    assert "honest/tcp:liar/tcp" in (tmp_path / "r.html").read_text()
    quick = ("--seconds", "1.2", "--rounds", "8", "--p99-threshold", "none", "--call", "Sum")
    # The first waits 0.1 s in each call, which is more than a busy machine takes, and the second does not.
    held = callbench("compare", "honest/tcp?delay_us=100000", "honest/tcp:liar/tcp", *quick, "--out", "c")
    assert held.returncode == 0, held.stdout + held.stderr
    plan = json.loads((tmp_path / "c" / "plan.json").read_text())
    assert plan["pairs"][0]["b"]["server_program"][1] == "liar.py"
    refused = callbench("compare", "honest/tcp", "honest/tcp:liar/tcp@" + str(MISBEHAVING / "honest.py"))
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "a mixed stack has two programs" in refused.stderr


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("honest/tcp:honest/tcp", "both sides are honest/tcp, which is a stack by itself"),
        ("honest/tcp:native/json+tcp", "the card of native/json+tcp names no protocol"),
        ("honest/inproc:liar/tcp", "the card of honest/inproc names no protocol"),
        ("honest/tcp:liar/tpc", "did you mean honest/tcp:liar/tcp"),
    ],
)
@pytest.mark.usefixtures("two")
def test_what_cannot_be_mixed_is_reported(name: str, says: str) -> None:
    with pytest.raises(BadInput, match=re.escape(says)):
        catalogue.load().stack(name)
