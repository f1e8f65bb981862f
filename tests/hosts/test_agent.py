"""One host on loopback: a real scheduler and a real agent, by TLS. What they serve, and what they refuse."""

import asyncio
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from fleet_lab import Program, made_keys, serving, started

from callbench.adapter.network.remote import facts, settings
from callbench.adapter.network.remote.agent import agent_worker
from callbench.adapter.network.remote.certificates import Authority
from callbench.adapter.network.remote.fleet import Fleet
from callbench.adapter.network.remote.host_failure import HostFailure
from callbench.adapter.network.remote.keys import Keys, create, read
from callbench.adapter.network.remote.session_host import SessionHost
from callbench.adapter.session import Adapter
from callbench.catalog.catalogue import KnownAdapter as Known
from callbench.model.errors import AdapterFailure, HostLost
from conftest import assert_one_sentence, eventually
from left_behind import marked
from ports import free_ports

pytestmark = pytest.mark.usefixtures("nothing_left")
Callbench = Callable[..., subprocess.CompletedProcess[str]]
# A core that holds a session on a host until it is killed.
HOLDS = """
import sys, time
from pathlib import Path
from callbench.adapter.network.remote.fleet import Fleet
from callbench.adapter.network.remote.keys import read
from callbench.adapter.session import Adapter
from callbench.catalog import catalogue
fleet = Fleet(read(Path(sys.argv[1])))
adapter = Adapter(catalogue.load().adapter("honest").manifest, "the server", host=fleet.host("alpha")).read_hello()
print("serves", adapter.serve("honest/tcp"), flush=True)
time.sleep(600)
"""


@pytest.fixture
def own(tmp_path: Path) -> Keys:
    return made_keys(tmp_path / "hosts", "alpha", "beta")


@contextmanager
def joined(own: Keys) -> Iterator[Fleet]:
    """A core's connection."""
    with closing(Fleet(own)) as fleet:
        yield fleet


def adapters_of(agent: Program) -> list[psutil.Process]:
    """The supervisors that an agent has started, alive; but for that which keeps its folder."""
    found = []
    for one in psutil.Process(agent.process.pid).children():
        with suppress(psutil.NoSuchProcess):
            if "--remove" not in one.cmdline():
                found.append(one)
    return found


def kept_folders(agent: Program) -> list[str]:
    """The folders that are removed when an agent ends, however it does."""
    return [word for one in psutil.Process(agent.process.pid).children() for word in one.cmdline() if "-agent-" in word]


def test_an_adapter_on_a_host_is_asked_as_one_here(own: Keys, misbehaving: Callable[[str], Known]) -> None:
    manifest = misbehaving("honest").manifest
    with serving(own, "alpha") as programs, joined(own) as fleet:
        host = fleet.host("alpha")
        with Adapter(manifest, "the server", host=host) as server, Adapter(manifest, "the client", host=host) as client:
            client.connect("honest/tcp", server.serve("honest/tcp", host.address), 2)
            assert client.call("Sum", {"a": 1, "b": 2})["value"] == 3
            done = client.drive("Sum", {"a": 1, "b": 2}, calls=50, seconds=0.3)
            assert done["calls"] >= 50
            assert done["intervals"]
            assert server.counted()["calls"]["Sum"] == done["calls"] + 1
            with pytest.raises(AdapterFailure, match="nothere"):
                server.serve("honest/nothere")
            assert server.process.died() is None
            assert server.process.pid is None
        assert (server.process.closed, server.broken) == (True, False)
        assert eventually(lambda: not adapters_of(programs["alpha"]))


def test_a_dead_adapter_and_a_missing_one_are_said_with_their_host(
    own: Keys, misbehaving: Callable[[str], Known]
) -> None:
    with serving(own, "alpha"), joined(own) as fleet:
        host = fleet.host("alpha")
        with Adapter(misbehaving("honest").manifest, "the server", host=host) as server:
            server.process.signal(signal.SIGKILL)
            died = server.process.died(60)
            assert died is not None
            assert died.ending == "killed"
            with pytest.raises(AdapterFailure) as failure:
                server.counted()
            assert failure.value.kind == "died"
            assert_one_sentence(str(failure.value), ["on host alpha", "died"])
            assert server.broken


def test_a_killed_core_leaves_nothing_on_a_host(own: Keys) -> None:
    with serving(own, "alpha") as programs:
        with subprocess.Popen(
            [sys.executable, "-c", HOLDS, str(own.folder)], stdout=subprocess.PIPE, text=True
        ) as core:
            assert core.stdout is not None
            assert core.stdout.readline().startswith("serves")
            assert adapters_of(programs["alpha"])
            core.kill()
        assert eventually(lambda: not adapters_of(programs["alpha"]))
        programs["alpha"].await_line("ended 1 of its adapters")
        # And the host is free for the next.
        with joined(own) as fleet:
            assert fleet.host("alpha").address == "127.0.0.1"


def test_a_killed_agent_leaves_nothing_and_the_core_says_so(
    own: Keys, misbehaving: Callable[[str], Known], mark: str
) -> None:
    with serving(own, "alpha") as programs, joined(own) as fleet:
        server = Adapter(misbehaving("honest").manifest, "the server", host=fleet.host("alpha")).read_hello()
        below = [one.pid for top in adapters_of(programs["alpha"]) for one in (top, *top.children(recursive=True))]
        assert below
        folders = {*Path(tempfile.gettempdir()).glob("callbench-agent-*")}
        own_folder = next(one for one in folders if str(one) in kept_folders(programs["alpha"]))
        programs["alpha"].process.kill()
        assert eventually(lambda: not {*below} & {*marked(mark)})
        assert eventually(lambda: not own_folder.exists())
        with pytest.raises(HostLost) as failure:
            server.counted()
        assert_one_sentence(str(failure.value), ["the connection to host alpha has ended"])
        assert server.broken
        assert server.stop()


def test_an_agent_waits_for_its_scheduler_and_comes_back(own: Keys) -> None:
    with serving(own, "alpha") as programs:
        programs["scheduler"].end()
        programs["alpha"].await_line("has gone")
        with started(["hosts", "start", "--keys", own.folder], "agents can connect"):
            programs["alpha"].await_line("host alpha serves")
            with joined(own) as fleet:
                assert list(fleet.present()) == ["alpha"]


def test_a_host_has_one_core_and_one_agent(own: Keys) -> None:
    with serving(own, "alpha"), joined(own) as first, joined(own) as second:
        first.take("alpha")
        with pytest.raises(HostFailure) as failure:
            second.take("alpha")
        assert_one_sentence(str(failure.value), ["host alpha is in use by another core"])
        again = Program(["agent", own.folder / "alpha"])
        try:
            again.await_line("another agent is host alpha already")
            assert again.process.wait(60) == 2
        finally:
            again.end()


def test_two_names_of_one_machine_are_refused(own: Keys) -> None:
    """Also if both are asked for at once. None of them is taken then."""
    with serving(own, "alpha", "beta"), joined(own) as fleet:
        with pytest.raises(HostFailure) as failure:
            fleet.take_all(["alpha", "beta"])
        assert_one_sentence(str(failure.value), ["alpha and beta are the same machine", "name another host"])
        with joined(own) as other:
            other.take_all(["beta", "beta"])
        fleet.take("alpha")
        with pytest.raises(HostFailure, match="the same machine"):
            fleet.take("beta")


def test_another_version_is_refused(own: Keys, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(own, "alpha"), joined(own) as fleet:
        there = facts.version()
        monkeypatch.setattr(facts, "version", lambda: {**there, "contract": 99})
        with pytest.raises(HostFailure) as failure:
            fleet.take("alpha")
        assert_one_sentence(str(failure.value), ["host alpha has", "install the same"])


def test_another_type_of_processor_is_refused(own: Keys, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its wheel is another one by necessity, so the same wheel would be no remedy."""
    with serving(own, "alpha"), joined(own) as fleet:
        there = facts.version()
        monkeypatch.setattr(facts, "version", lambda: {**there, "digest": "other", "architecture": "riscv64"})
        with pytest.raises(HostFailure) as failure:
            fleet.take("alpha")
        assert_one_sentence(str(failure.value), ["host alpha has processors of type", "riscv64", "name a host of type"])


def test_a_clock_that_is_an_hour_off_is_refused(own: Keys, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run as well as a check; the host is free again."""
    now_ns = time.time_ns
    with serving(own, "alpha"), joined(own) as fleet, joined(own) as other:
        monkeypatch.setattr(time, "time_ns", lambda: now_ns() + 3_600_000_000_000)
        with pytest.raises(HostFailure) as failure:
            fleet.take("alpha")
        assert_one_sentence(str(failure.value), ["the clock of host alpha is 3,", "s behind this one", "chrony"])
        monkeypatch.undo()
        other.take("alpha")


def test_they_listen_by_tls_alone_and_where_they_are_told(own: Keys) -> None:
    with serving(own, "alpha") as programs:
        for program in programs.values():
            doors = [
                one.laddr for one in psutil.Process(program.process.pid).net_connections() if one.status == "LISTEN"
            ]
            assert len(doors) == 1
            assert doors[0].ip == "127.0.0.1"
            with socket.create_connection((doors[0].ip, doors[0].port), 10) as plain:
                plain.sendall(b"GET / HTTP/1.0\r\n\r\n")
                # It is closed, or answered by an alert of TLS.
                with suppress(ConnectionResetError):
                    assert plain.recv(100)[:1] in {b"", b"\x15"}


def exits_with(callbench: Callbench, *arguments: object, says: list[str]) -> None:
    ended = callbench(*arguments)
    assert ended.returncode == 2, ended.stderr
    assert_one_sentence(ended.stderr.strip(), says)


def test_nobody_listens(own: Keys, callbench: Callbench) -> None:
    exits_with(callbench, "hosts", "list", "--keys", own.folder, says=["nobody listens", "callbench hosts start"])
    exits_with(callbench, "agent", own.folder / "alpha", says=["nobody listens", "callbench hosts start"])


def test_a_firewall_drops_silently(own: Keys, callbench: Callbench) -> None:
    """A listener whose queue is full: the kernel drops what comes, as a firewall does."""
    with socket.socket() as listener:
        listener.bind((own.address, own.port))
        listener.listen(0)
        fillers = [socket.socket() for _ in range(4)]
        for filler in fillers:
            filler.setblocking(False)
            filler.connect_ex((own.address, own.port))
        exits_with(
            callbench, "agent", own.folder / "alpha", says=["does not answer within", "a firewall", f"port {own.port}"]
        )
        for filler in fillers:
            filler.close()


def test_something_takes_connections_and_says_nothing(own: Keys, callbench: Callbench) -> None:
    """It is no firewall, as the connection is there."""
    with socket.create_server((own.address, own.port)):
        says = ["takes connections, but says nothing within 8 s", "too busy", "look at what it runs"]
        exits_with(callbench, "agent", own.folder / "alpha", says=says)


def test_a_host_that_the_core_cannot_reach(own: Keys, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its agent is connected, and its own address leads nowhere, as behind a NAT."""
    with serving(own, "alpha"), joined(own) as fleet:
        there = {name: replace(present, port=free_ports()) for name, present in fleet.present().items()}
        monkeypatch.setattr(fleet, "present", lambda: there)
        with pytest.raises(HostFailure) as failure:
            fleet.take("alpha")
        where = f"host alpha at 127.0.0.1:{there['alpha'].port}"
        assert_one_sentence(str(failure.value), [where, "callbench agent", "firewall or NAT"])


def test_an_agent_at_rest_wakes_seldom(own: Keys, tmp_path: Path) -> None:
    """Dask would wake each of them 50 times a second, on hosts that measure."""

    async def wakes_ms() -> dict[str, float]:
        keys = read(own.folder / "alpha")
        worker = agent_worker(keys, (own.address, 0), tmp_path, SessionHost(tmp_path, keys))
        return {name: float(called.callback_time) for name, called in worker.periodic_callbacks.items()}

    settings.apply()
    assert min(asyncio.run(wakes_ms()).values()) >= 500


def test_something_else_listens(own: Keys, callbench: Callbench) -> None:
    with socket.create_server((own.address, own.port)) as listener:
        threading.Thread(target=lambda: listener.accept()[0].sendall(b"220 mail\r\n" * 99), daemon=True).start()
        exits_with(callbench, "hosts", "check", "--keys", own.folder, says=["does not speak TLS", "another program"])


def test_keys_of_another_core_are_refused(own: Keys, tmp_path: Path, callbench: Callbench) -> None:
    create(tmp_path / "other", own.address, ["alpha"], port=own.port)
    with started(["hosts", "start", "--keys", own.folder], "agents can connect"):
        exits_with(callbench, "agent", tmp_path / "other" / "alpha", says=["has the key of another core"])
        exits_with(callbench, "hosts", "check", "--keys", tmp_path / "other", says=["has the key of another core"])


def test_a_scheduler_with_an_expired_certificate(own: Keys, callbench: Callbench) -> None:
    """As one that has run for longer than its keys are valid."""
    Authority(own.authority, own.folder / "ca.key", 0).sign("core", own.folder / "old.pem", own.folder / "old.key")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=str(own.authority))
    context.load_cert_chain(own.folder / "old.pem", own.folder / "old.key")
    with socket.create_server((own.address, own.port)) as listener:

        def serve() -> None:
            with pytest.raises(ssl.SSLError), listener.accept()[0] as taken:
                context.wrap_socket(taken, server_side=True)

        server = threading.Thread(target=serve)
        server.start()
        exits_with(callbench, "agent", own.folder / "alpha", says=["has expired, or a clock is wrong", "compare"])
        server.join()


def test_an_address_of_another_machine_is_refused(tmp_path: Path, callbench: Callbench) -> None:
    create(tmp_path / "hosts", "192.0.2.1", ["alpha"], port=free_ports())
    exits_with(callbench, "hosts", "start", "--keys", tmp_path / "hosts", says=["cannot listen at 192.0.2.1"])


def test_keys_are_made_listed_and_checked(own: Keys, callbench: Callbench) -> None:
    made = callbench("hosts", "init", "127.0.0.1", "gamma", "--keys", own.folder, "--port", own.port, check=True)
    assert f"{own.folder / 'gamma'}: copy this folder to host gamma" in made.stdout
    assert read(own.folder / "gamma").name == "gamma"
    with serving(own, "alpha"):
        listed = callbench("hosts", "list", "--keys", own.folder, "--json", check=True)
        assert '"host": "alpha",\n  "connected": true' in listed.stdout
        assert '"host": "beta",\n  "connected": false' in listed.stdout
        checked = callbench("hosts", "check", "alpha", "--keys", own.folder, check=True)
        for part in ("alpha", "127.0.0.1", "Linux", "ms ±", "lacks", "may not"):
            assert part in checked.stdout
        exits_with(
            callbench,
            "hosts",
            "check",
            "beta",
            "--keys",
            own.folder,
            says=["host beta has no agent", "callbench agent"],
        )
        exits_with(callbench, "hosts", "check", "delta", "--keys", own.folder, says=["no host is called delta"])
