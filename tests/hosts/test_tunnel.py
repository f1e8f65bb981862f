"""A profile between real hosts: made within them, refused in a sentence, and gone with the agent."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from this_machine import SLOW, OnThisMachine

from callbench.adapter.network.host import Hosts
from callbench.adapter.network.lab_process import LinkFailure
from callbench.adapter.network.remote import session_host
from callbench.adapter.network.remote.tunnel import joined_hosts
from callbench.adapter.session import Adapter
from callbench.catalog.catalogue import KnownAdapter
from callbench.catalog.links.profile import Link, LinkPart, builtin_links
from callbench.catalog.reach import between_hosts, on_real_hosts, profile_of
from callbench.stats.wire.link import Wire
from conftest import assert_one_sentence, eventually
from left_behind import marked

PROGRAM = """
import sys, time
from pathlib import Path
from this_machine import SLOW, OnThisMachine
from callbench.adapter.network.remote.tunnel import joined_hosts
folder = Path(sys.argv[1])
server, client = (OnThisMachine(folder / name, name).host() for name in ("alpha", "beta"))
with joined_hosts(server, client, SLOW):
    print("made", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[list[OnThisMachine]]:
    made = [OnThisMachine(tmp_path / name, name) for name in ("alpha", "beta")]
    yield made
    for machine in made:
        machine.sessions.end()


def joined(machines: list[OnThisMachine], wire: Wire) -> AbstractContextManager[Hosts]:
    server, client = (machine.host() for machine in machines)
    return joined_hosts(server, client, wire)


@pytest.mark.engine
@pytest.mark.usefixtures("lab", "nothing_left")
def test_adapters_call_each_other_over_the_profile(
    machines: list[OnThisMachine], misbehaving: Callable[[str], KnownAdapter]
) -> None:
    """Unchanged, at addresses that exist on neither machine."""
    honest = misbehaving("honest").manifest
    with joined(machines, SLOW) as hosts:
        assert (hosts.server.name, hosts.client.name) == ("alpha", "beta")
        assert "127.0.0.1" not in {hosts.server.address, hosts.client.address}
        with (
            Adapter(honest, "the server", (), hosts.server) as serving,
            Adapter(honest, "the client", (), hosts.client) as calling,
        ):
            endpoint = serving.serve("honest/tcp", hosts.server.address)
            calling.connect("honest/tcp", endpoint, 1)
            assert calling.call("Sum", {"a": 1, "b": 2})["value"] == 3
        carried = hosts.carried()
        assert carried is not None
        assert all(frames > 3 for _, frames in carried.values())
    assert [machine.sessions.alive for machine in machines] == [0, 0]


@pytest.mark.engine
@pytest.mark.usefixtures("lab")
def test_nothing_is_left_of_it_when_the_agent_is_killed(tmp_path: Path, mark: str) -> None:
    before = set(Path("/sys/class/net").iterdir())
    argv = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parent) as agents:
        assert agents.stdout is not None
        assert agents.stdout.readline() == "made\n"
        assert len(marked(mark)) == 3, "the agents and two labs"
        agents.send_signal(signal.SIGKILL)
    assert eventually(lambda: not marked(mark), 30), "a lab outlived its agent"
    assert set(Path("/sys/class/net").iterdir()) == before


@pytest.mark.usefixtures("nothing_left")
def test_a_host_that_may_not_is_named(
    machines: list[OnThisMachine], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab = tmp_path / "lab"
    said = {"is": "error", "id": None, "kind": "no-namespaces", "message": "two hosts cannot be made: run it as root"}
    lab.write_text(f"#!/bin/sh\necho '{json.dumps(said)}'\n")
    lab.chmod(0o755)
    for program, says in ((lab, "cannot be made: run it as root"), (None, "the engine is not built there: ")):
        monkeypatch.setattr(session_host, "netlab", lambda program=program: program)
        with pytest.raises(LinkFailure) as failure, joined(machines, SLOW):
            pass
        assert_one_sentence(str(failure.value), ("host alpha", says))


@pytest.mark.engine
@pytest.mark.usefixtures("lab", "nothing_left")
def test_a_profile_of_the_kernel_is_refused(machines: list[OnThisMachine]) -> None:
    wire = Link.of("own", LinkPart(maker="kernel")).wire
    with (
        pytest.raises(LinkFailure, match="host beta: the kernel's queue makes no link between machines"),
        joined(machines, wire),
    ):
        pass


def test_names_of_links_between_hosts() -> None:
    assert profile_of(on_real_hosts("wan20")) == "wan20"
    assert profile_of("real") is None
    assert between_hosts("real")
    assert between_hosts(on_real_hosts("wan20"))
    assert not any(map(between_hosts, ("loopback", *builtin_links())))
