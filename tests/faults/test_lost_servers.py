"""What happens to a call whose server is lost, compared with the stack's card."""

import json
import shutil
import subprocess
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from callbench.adapter.placement import choose_placement
from callbench.adapter.session import Adapter
from callbench.adapter.stack import side_processes
from callbench.adapter.stack.sides import Sides
from callbench.catalog import catalogue
from callbench.catalog.manifest import read
from callbench.model.errors import AdapterFailure
from callbench.model.verify_outcome import CheckOutcome
from callbench.runner.verify import cut_connections, lost_server, suite
from callbench.runner.verify.session import VerifySession
from conftest import MISBEHAVING

# Each does something else: HttpURLConnection asks again, a registry's stub is of one server only.
OURS = ["native/json+tcp", "native/json+shm", "native/json+http", "java/httpinvoker", "java/rmi", "cpp/corba-omniorb"]
HONEST = "honest/tcp"


@pytest.fixture
def declared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """The honest adapter, elsewhere, with a line on its card."""

    def declare(line: str) -> None:
        folder = tmp_path / "honest"
        shutil.copytree(MISBEHAVING / "honest", folder)
        manifest = folder / "adapter.toml"
        text = manifest.read_text().replace("../honest.py", str(MISBEHAVING / "honest.py"))
        manifest.write_text(text.replace("[card]", f"[card]\n{line}", 1))
        monkeypatch.setenv("CALLBENCH_ADAPTERS", str(folder))

    return declare


@pytest.mark.parametrize("stack", OURS)
@pytest.mark.usefixtures("nothing_left")
def test_it_is_as_its_card_says(stack: str) -> None:
    known = catalogue.load()
    why_not = known.stack(stack).why_not
    if why_not:
        pytest.skip(why_not)
    assert {"killed", "cut"} <= set(known.stack(stack).card["when_lost"])
    found = list(suite.outcomes_of(known, [stack], every=False, placement=choose_placement(), only="lost/*"))
    assert [outcome.check for outcome in found] == ["lost/cut", "lost/killed"]
    assert [outcome.sentence for outcome in found if outcome.fails] == []
    # If this user may not access a server's process, that is reported instead.
    assert all("in a call" in outcome.note or "cannot be cut here" in outcome.note for outcome in found)


def _cut_late(late: int, monkeypatch: pytest.MonkeyPatch) -> list[CheckOutcome]:
    """Check the card of `tcp-tls` where the first so many calls are answered before their connection is cut."""
    monkeypatch.setattr(lost_server, "DELAY_MS", 50)
    in_progress, cuts = lost_server._call_in_progress, 0

    def answered_first(*given: Any) -> tuple[Future[dict[str, object]], int]:
        nonlocal cuts
        cuts += 1
        call, executed_so_far = in_progress(*given)
        if cuts <= late:
            call.exception()
        return call, executed_so_far

    monkeypatch.setattr(lost_server, "_call_in_progress", answered_first)
    stack = "native/json+tcp-tls"
    checked = suite.outcomes_of(catalogue.load(), [stack], every=False, placement=choose_placement(), only="lost/cut")
    outcomes = list(checked)
    assert cuts > min(late, 3)
    return outcomes


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize("late", [2, 3])
def test_a_cut_that_comes_after_the_answer_proves_nothing(late: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine that is too busy to cut in time: `tcp-tls` was said to answer in spite of the cut."""
    assert [outcome.sentence for outcome in _cut_late(late, monkeypatch) if outcome.fails] == []


@pytest.mark.usefixtures("nothing_left")
def test_a_connection_that_a_busy_machine_makes_too_late_is_given_more_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The short time-out of the lost call is the connection's, too."""
    monkeypatch.setattr(lost_server, "DELAY_MS", 50)
    with_delay, late = lost_server._with_delay, [lost_server.TIMEOUT_MS]

    def too_late(session: VerifySession, times: int) -> Sides:
        if late:
            raise AdapterFailure("timeout", f"no connection within {late.pop()} ms")
        return with_delay(session, times)

    monkeypatch.setattr(lost_server, "_with_delay", too_late)
    stack = "native/json+tcp"
    checked = suite.outcomes_of(catalogue.load(), [stack], every=False, placement=choose_placement(), only="lost/cut")
    assert [outcome.why for outcome in checked] == [None]
    assert not late


@pytest.mark.usefixtures("nothing_left")
def test_a_machine_that_always_cuts_too_late_is_named_and_not_the_card(monkeypatch: pytest.MonkeyPatch) -> None:
    (outcome,) = _cut_late(99, monkeypatch)
    assert not outcome.fails
    assert outcome.note.endswith("this machine was too busy to lose the server within a call")


@pytest.mark.usefixtures("nothing_left")
def test_a_card_that_says_otherwise_fails_with_the_right_value(
    declared: Callable[[str], None], callbench: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    declared('when_lost = { killed = "hang", cut = "error" }')
    ended = callbench("verify", HONEST, "--check", "lost/killed")
    assert ended.returncode == 1
    assert "honest/tcp: lost/killed: server killed in a call" in ended.stdout
    assert 'says when_lost with killed = "hang"; it must be killed = "error"' in ended.stdout


def test_a_card_with_a_word_that_does_not_exist_is_refused(declared: Callable[[str], None]) -> None:
    declared('when_lost = { killed = "shrug", cut = "error" }')
    (sentence,) = catalogue.load().broken
    assert "card.when_lost.killed: input should be 'error' or 'hang'" in sentence


def test_checks_are_chosen_by_name(callbench: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    ended = callbench("verify", HONEST, "--check", "lots/*")
    assert ended.returncode == 2
    assert "no check fits 'lots/*'" in ended.stderr


def test_every_card_of_ours_says_it_and_in_process_none(
    callbench: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    rows = json.loads(callbench("list", "stacks", "--json", "--instruments", check=True).stdout)
    mine = [row for row in rows if row["id"].partition("/")[0] in ("native", "java", "cpp")]
    silent = {row["id"] for row in mine if "when_lost" not in row["card"]}
    assert silent == {row["id"] for row in mine if row["card"]["roles"] == "in-process"}
    assert len(mine) > len(silent)


@pytest.mark.usefixtures("nothing_left")
def test_a_cut_meets_the_connections_between_the_two_and_no_other() -> None:
    manifest = read(MISBEHAVING / "honest" / "adapter.toml")
    honest = next(stack for stack in manifest.stacks if stack.id == HONEST)
    with Sides(manifest.both, choose_placement(), in_process=False) as sides, Adapter(manifest, "the client") as other:
        endpoint = sides.serve(honest)
        assert sides.client.connect(HONEST, endpoint, 2) == 2
        assert other.connect(HONEST, endpoint, 1) == 1
        for client in (sides.client, other):
            assert client.call("Sum", {"a": 1, "b": 2})["value"] == 3
        of = side_processes.processes_of(sides)
        ends = cut_connections.connections(of.server, of.client)
        assert len(ends) == 2
        cut_connections.cut(ends)
        assert not cut_connections.connections(of.server, of.client)
        assert other.call("Sum", {"a": 1, "b": 2})["value"] == 3
