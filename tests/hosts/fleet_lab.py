"""Schedulers and agents as a person starts them, on loopback or on the two hosts of the network lab."""

import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from callbench.adapter.network.host import THIS_HOST, Host
from callbench.adapter.network.remote import keys
from conftest import command
from loaded_program import Begun, shared
from ports import free_ports

STARTS_S = 60.0


def entering(host: Host) -> list[str]:
    """What comes before a command that runs on a host."""
    if host.netns is None:
        return []
    user = [f"--user={host.user}", "--preserve-credentials"] if host.user else []
    return ["nsenter", *user, f"--net={host.netns}"]


def namespaces_of(host: Host) -> list[str]:
    """What a program of ours enters to run on a host."""
    return [namespace for namespace in (host.user, host.netns) if namespace]


def ran(host: Host, *words: object, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the program on a host to its end."""
    line = list(map(str, words))
    with shared().begin(line, cwd, namespaces=namespaces_of(host), environment={**os.environ, **variables}) as begun:
        out, err = begun.communicate(300)
    return subprocess.CompletedProcess(line, begun.wait(), out, err)


class Program:
    """A program of ours that serves until it is ended."""

    def __init__(
        self,
        arguments: Sequence[object],
        host: Host = THIS_HOST,
        *,
        cwd: Path | None = None,
        inside: Sequence[str] = (),
        **variables: str,
    ) -> None:
        """Start it on a host, `inside` what a command before its own makes."""
        environment = {**os.environ, **variables}
        self.process: subprocess.Popen[str] | Begun
        if inside:
            self.process = subprocess.Popen(
                [*entering(host), *inside, *command(*arguments)],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                bufsize=1,
                cwd=cwd,
                env=environment,
            )
        else:
            self.process = shared().begin(
                list(map(str, arguments)),
                cwd or Path.cwd(),
                stderr=subprocess.STDOUT,
                namespaces=namespaces_of(host),
                environment=environment,
            )
        self.said: list[str] = []
        self._unread = ""

    def await_line(self, part: str, seconds: float = STARTS_S) -> str:
        """Return the first line with this part that it writes in time."""
        assert self.process.stdout is not None
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            line, end, rest = self._unread.partition("\n")
            if end:
                self._unread = rest
                self.said.append(line.strip())
                if part in line:
                    return line.strip()
            elif select.select([self.process.stdout], [], [], 0.2)[0]:
                # Not by `readline`: it would keep further lines where `select` does not see them.
                piece = os.read(self.process.stdout.fileno(), 1 << 16)
                if not piece:
                    break
                self._unread += piece.decode()
        raise AssertionError(f"no line with {part!r}: {self.said}, exit code {self.process.poll()}")

    def await_file(self, file: Path, part: str, seconds: float = STARTS_S) -> None:
        """Wait until a file has this part."""
        until = time.monotonic() + seconds
        while not (file.exists() and part in file.read_text()):
            assert time.monotonic() < until, f"{file} has no {part}"
            assert self.process.poll() is None, "it has ended"
            time.sleep(0.02)

    def rest(self) -> str:
        """What it wrote and nobody has read. It has ended."""
        assert self.process.stdout is not None
        return self._unread + self.process.stdout.read()

    def end(self) -> None:
        """End it, whatever it does."""
        self.process.kill()
        with self.process:
            self.process.wait()


@contextmanager
def started(arguments: Sequence[object], says: str, host: Host = THIS_HOST) -> Iterator[Program]:
    """A program that has said that it serves."""
    program = Program(arguments, host)
    try:
        program.await_line(says)
        yield program
    finally:
        program.end()


def made_keys(
    folder: Path, *names: str, address: str = "127.0.0.1", port: int | None = None, days: int = 2
) -> keys.Keys:
    """The keys of a core with these hosts."""
    keys.create(folder, address, list(names), port=port or free_ports(), days=days)
    return keys.read(folder)


@contextmanager
def serving(own: keys.Keys, *names: str, host: Host = THIS_HOST) -> Iterator[dict[str, Program]]:
    """A scheduler, and agents beside it."""
    with started(["hosts", "start", "--keys", own.folder], "agents can connect", host) as scheduler:
        agents: dict[str, Program] = {"scheduler": scheduler}
        try:
            for name in names:
                agents[name] = Program(["agent", own.folder / name], host)
            for name in names:
                agents[name].await_line(f"host {name} serves")
            yield agents
        finally:
            for name in names:
                if name in agents:
                    agents[name].end()


@contextmanager
def namespaces(count: int) -> Iterator[tuple[Host, list[Host]]]:
    """The core's host and as many others, each a network namespace, on one bridge. It needs root and `ip`.

    Each namespace is held by a process, and vanishes with it.
    """
    with ExitStack() as stack:
        core, *others = [stack.enter_context(_held_namespace()) for _ in range(count + 1)]
        inside = [*entering(Host("10.78.0.1", f"/proc/{core}/ns/net")), "ip"]
        steps = ["link add br0 type bridge", "addr add 10.78.0.1/24 dev br0", "link set br0 up", "link set lo up"]
        for number, pid in enumerate(others, 2):
            steps += [f"link add h{number} type veth peer name eth0 netns {pid}", f"link set h{number} master br0 up"]
        for step in steps:
            subprocess.run([*inside, *step.split()], check=True)
        hosts = [Host(f"10.78.0.{number}", f"/proc/{pid}/ns/net") for number, pid in enumerate(others, 2)]
        for host in hosts:
            for step in (f"addr add {host.address}/24 dev eth0", "link set eth0 up", "link set lo up"):
                subprocess.run([*entering(host), "ip", *step.split()], check=True)
        yield Host("10.78.0.1", f"/proc/{core}/ns/net"), hosts


@contextmanager
def _held_namespace() -> Iterator[int]:
    """A network namespace of its own: the number of the process that holds it."""
    own = Path("/proc/self/ns/net").readlink()
    holder = subprocess.Popen(
        [str(shutil.which("unshare")), "--net", "cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    )
    try:
        until = time.monotonic() + STARTS_S
        while (link := Path(f"/proc/{holder.pid}/ns/net").readlink()) == own:
            assert holder.poll() is None, "no namespace"
            assert time.monotonic() < until, f"it is still in {link}"
            time.sleep(0.01)
        yield holder.pid
    finally:
        # It ends with its input, also if this process is killed.
        holder.kill()
        holder.communicate()
