"""Hosts with a fault of their own: a full disk, no adapter, an agent that hangs, a firewall, a NAT, a cut cable."""

import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path

import pytest
from fleet_lab import STARTS_S, Program, entering, made_keys, namespaces, started
from killed_run import left_by

from callbench.adapter.network.host import Host
from callbench.adapter.network.remote.certificates import Authority
from callbench.adapter.network.remote.fleet import Fleet
from callbench.adapter.network.remote.host_failure import HostFailure
from callbench.adapter.network.remote.keys import Keys
from callbench.adapter.session import Adapter
from callbench.catalog.catalogue import KnownAdapter as Known
from callbench.model.errors import AdapterFailure, HostLost, MachineFailure
from conftest import assert_one_sentence, command, eventually

pytestmark = pytest.mark.usefixtures("nothing_left")
needs_root = pytest.mark.skipif(
    shutil.which("ip") is None or os.geteuid() != 0, reason="a bridge and a disk need root and `ip`"
)
AGENT_PORT, INSIDE = 7411, "10.79.0.2"
# A core that asks an adapter on a host, and once more when it is told to.
ASKS_AGAIN = """
import sys
from pathlib import Path
from callbench.adapter.network.remote.fleet import Fleet
from callbench.adapter.network.remote.keys import read
from callbench.adapter.session import Adapter
from callbench.catalog import catalogue
from callbench.model.errors import HostLost
fleet = Fleet(read(Path(sys.argv[1])))
adapter = Adapter(catalogue.load().adapter("honest").manifest, "the server", host=fleet.host("alpha")).read_hello()
print("serves", adapter.serve("honest/tcp"), flush=True)
sys.stdin.readline()
try:
    adapter.counted()
except HostLost as lost:
    print(lost, flush=True)
"""


@pytest.fixture
def own(tmp_path: Path) -> Keys:
    return made_keys(tmp_path / "hosts", "alpha")


@contextmanager
def agent_by(start: Callable[[Sequence[object]], Program], own: Keys) -> Iterator[tuple[Program, Fleet]]:
    """A scheduler, the agent of alpha as it is started here, and a core's connection."""
    with started(["hosts", "start", "--keys", own.folder], "agents can connect"):
        agent = start(["agent", own.folder / "alpha"])
        try:
            agent.await_line("host alpha serves")
            with closing(Fleet(own)) as fleet:
                yield agent, fleet
        finally:
            agent.end()


@needs_root
def test_a_host_whose_disk_is_full(own: Keys, tmp_path: Path, misbehaving: Callable[[str], Known]) -> None:
    """It says so, instead of being lost. With room again, it is a host again."""
    disk, schedule = tmp_path / "disk", tmp_path / "gaps"
    disk.mkdir()
    schedule.write_bytes(bytes(800))
    mounted = ("unshare", "--mount", "sh", "-c", 'mount -t tmpfs -o size=1m tmpfs "$0" && exec "$@"', str(disk))
    with agent_by(partial(Program, inside=mounted, TMPDIR=str(disk)), own) as (agent, fleet):
        filling = Path(f"/proc/{agent.process.pid}/root{disk}/filling")
        with pytest.raises(OSError, match="No space"):
            filling.write_bytes(bytes(2 << 20))
        host, honest = fleet.host("alpha"), misbehaving("honest").manifest
        drive = {"do": "drive", "schedule": str(schedule)}
        with Adapter(honest, "the client", host=host) as client:
            client.process.send(drive, 1.0)
            with pytest.raises(MachineFailure) as failure:
                client.process.receive(time.monotonic() + STARTS_S, "done")
        assert_one_sentence(str(failure.value), ["host alpha: ", "No space left on device", "make room"])
        filling.unlink()
        with Adapter(honest, "the client", host=host) as client:
            client.process.send(drive, 1.0)
            assert client.process.receive(time.monotonic() + STARTS_S, "done")["is"] == "error"


def test_a_host_without_the_adapter(own: Keys, misbehaving: Callable[[str], Known]) -> None:
    with agent_by(partial(Program, CALLBENCH_ADAPTERS=""), own) as (_, fleet), pytest.raises(AdapterFailure) as failure:
        Adapter(misbehaving("honest").manifest, "honest, the server,", host=fleet.host("alpha")).read_hello()
    says = ["on host alpha", "the adapter honest is not installed there", "install it there, or omit it"]
    assert_one_sentence(str(failure.value), says)


def test_a_host_whose_adapters_cannot_be_read(own: Keys) -> None:
    """What it cannot say is one sentence, too."""
    with (
        agent_by(partial(Program, CALLBENCH_ADAPTERS="/nothing"), own) as (_, fleet),
        pytest.raises(HostFailure) as failure,
    ):
        fleet.about(fleet.present()["alpha"])
    assert_one_sentence(str(failure.value), ["host alpha: CALLBENCH_ADAPTERS names /nothing"])


def test_an_agent_that_hangs_and_comes_back(own: Keys, misbehaving: Callable[[str], Known]) -> None:
    """What ran there ends when it goes on, and the host is free for the next core."""
    with agent_by(Program, own) as (agent, fleet), closing(Fleet(own)) as other:
        server = Adapter(misbehaving("honest").manifest, "the server", host=fleet.host("alpha")).read_hello()
        agent.process.send_signal(signal.SIGSTOP)
        with pytest.raises(HostFailure) as refused:
            other.take("alpha")
        assert_one_sentence(str(refused.value), ["host alpha at 127.0.0.1", "says nothing within 4 s", "too busy"])
        with pytest.raises(HostLost) as failure:
            server.counted()
        assert_one_sentence(str(failure.value), ["host alpha does not answer within"])
        # The scheduler forgets it after some seconds, and the agent has to find out.
        assert eventually(lambda: not other.present())
        agent.process.send_signal(signal.SIGCONT)
        agent.await_line("host alpha serves")
        assert eventually(lambda: not left_by(agent))
        assert eventually(lambda: "alpha" in other.present())
        other.take("alpha")
        assert server.stop()


def test_a_core_that_does_not_take_a_hosts_certificate(own: Keys, callbench: Callable[..., object]) -> None:
    """Its own is right. The host's may have expired since it was read, or is of another core."""
    Authority(own.folder / "other.pem", own.folder / "other.key", 1)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=str(own.folder / "other.pem"))
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_cert_chain(own.certificate, own.key)
    with socket.create_server((own.address, own.port)) as listener:

        def serve() -> None:
            with pytest.raises(ssl.SSLError), listener.accept()[0] as taken:
                context.wrap_socket(taken, server_side=True)

        server = threading.Thread(target=serve)
        server.start()
        ended = callbench("agent", own.folder / "alpha")
        server.join()
    assert isinstance(ended, subprocess.CompletedProcess)
    assert ended.returncode == 2, ended.stderr
    assert_one_sentence(ended.stderr.strip(), ["refuses", "own.pem", "copy the keys of host alpha again"])


class BridgedHosts:
    """A core with its scheduler, and two hosts on its bridge. No agent runs yet."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        """Make them."""
        self.folder, self._stack = folder, stack
        self.core, self.hosts = stack.enter_context(namespaces(2))
        self.keys = made_keys(folder / "hosts", "alpha", "beta", address=self.core.address)
        stack.enter_context(started(["hosts", "start", "--keys", self.keys.folder], "agents can connect", self.core))

    def agent(self, name: str, host: Host, *options: object) -> Program:
        """Start an agent on a host."""
        agent = Program(["agent", self.keys.folder / name, *options], host)
        self._stack.callback(agent.end)
        agent.await_line(f"host {name} serves")
        return agent

    def on_core(self, *line: str) -> subprocess.Popen[str]:
        """Start a program on the core."""
        environment = {**os.environ, "CALLBENCH_HOSTS": str(self.keys.folder)}
        program = subprocess.Popen(
            [*entering(self.core), *line],
            env=environment,
            cwd=self.folder,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        return self._stack.enter_context(program)

    def put_behind_a_nat(self, host: Host) -> None:
        """Give a host a network of its own, from which connections get out to the core, and none gets in.

        The core's address is one of the host itself, and a relay carries on what is sent there: of a NAT, no more is
        seen from either end.
        """
        for step in ("addr flush dev eth0", f"addr add {INSIDE}/32 dev lo"):
            ip(host, step)
        ip(host, f"route add local {self.core.address} dev lo src {INSIDE}")
        between = str(self.folder / "nat")
        relay = str(Path(__file__).with_name("nat_relay.py"))
        for where, role in ((self.core, "connect"), (host, "listen")):
            line = [*entering(where), sys.executable, relay, between, role, self.core.address, str(self.keys.port)]
            program = self._stack.enter_context(subprocess.Popen(line, stdout=subprocess.PIPE, text=True))
            self._stack.callback(program.kill)
            assert program.stdout is not None
            assert program.stdout.readline() == "ready\n"


def ip(host: Host, step: str) -> None:
    """Change the network of a host."""
    subprocess.run([*entering(host), "ip", *step.split()], check=True)


@pytest.fixture
def bridged(tmp_path: Path) -> Iterator[BridgedHosts]:
    with ExitStack() as stack:
        yield BridgedHosts(tmp_path, stack)


@needs_root
@pytest.mark.usefixtures("lab")
def test_hosts_that_no_connection_reaches(bridged: BridgedHosts) -> None:
    """Both agents are connected: the one's firewall drops what it answers, and the other is behind a NAT."""
    alpha, beta = bridged.hosts
    ip(alpha, f"rule add ipproto tcp sport {AGENT_PORT} blackhole")
    bridged.agent("alpha", alpha, "--port", AGENT_PORT)
    bridged.put_behind_a_nat(beta)
    bridged.agent("beta", beta)
    _, said = bridged.on_core(*command("hosts", "check")).communicate()
    by_firewall, by_nat = said.strip().splitlines()
    assert_one_sentence(by_firewall, [f"host alpha at {alpha.address}:{AGENT_PORT} does not answer", "a firewall may"])
    assert f"open TCP port {AGENT_PORT}" in by_firewall
    assert_one_sentence(by_nat, [f"host beta at {INSIDE}", "cannot be reached", "firewall or NAT"])


@needs_root
@pytest.mark.usefixtures("lab")
def test_two_names_of_one_host_in_a_network(bridged: BridgedHosts) -> None:
    for name in ("alpha", "beta"):
        bridged.agent(name, bridged.hosts[0])
    line = command("load", "http://10.78.0.1:9", "--hosts", "alpha,beta")
    core = bridged.on_core(*line)
    _, said = core.communicate()
    assert core.returncode == 2, said
    assert_one_sentence(said.strip(), ["alpha and beta are the same machine", "name another host"])


@needs_root
@pytest.mark.usefixtures("lab")
def test_a_cable_that_is_pulled(bridged: BridgedHosts) -> None:
    """The core says so, and what it started there ends; with the cable again, it is a host again."""
    agent = bridged.agent("alpha", bridged.hosts[0])
    core = bridged.on_core(sys.executable, "-c", ASKS_AGAIN, str(bridged.keys.folder))
    assert core.stdout is not None
    assert core.stdin is not None
    assert core.stdout.readline().startswith("serves")
    # Of the cable, the core's end: the host's own card is not told.
    ip(bridged.core, "link set h2 down")
    core.stdin.write("\n")
    core.stdin.flush()
    # It has no answer, or no way to a new connection.
    assert_one_sentence(core.stdout.readline().strip(), ["host alpha"])
    assert eventually(lambda: not left_by(agent))
    core.communicate()
    ip(bridged.core, "link set h2 up")
    assert eventually(lambda: bridged.on_core(*command("hosts", "check", "alpha")).wait() == 0)
