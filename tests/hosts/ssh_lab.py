"""Hosts that real ssh servers lead to: namespaces on one bridge, keys and configuration in the test's folder."""

import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from fleet_lab import STARTS_S, Program, entering, namespaces, ran

from callbench.adapter.network.host import Host
from conftest import ROOT, command
from left_behind import MARK

SSHD = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:/sbin")
PORT = 2222
# It wants this folder. What is mounted here, only it and what it starts see.
_IN_OWN_RUN = "mount -t tmpfs tmpfs /run && mkdir -m 755 /run/sshd && exec {}"


class SshLab:
    """A core's host, and others with a server of ssh each; `s2`, `s3`, ... are their names for ssh."""

    def __init__(self, folder: Path, count: int, stack: ExitStack) -> None:
        """Start the servers, with new keys."""
        self.folder = folder
        self.core, self.hosts = stack.enter_context(namespaces(count))
        self.names = [f"s{number}" for number in range(2, count + 2)]
        for key in ("own", "other", "host", "changed"):
            line = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / key)]
            subprocess.run(line, check=True)
        (folder / "authorized").write_text((folder / "own.pub").read_text())
        self.program = self.there("callbench", f'exec {shlex.join(command())} "$@"')
        self.configure()
        for host in self.hosts:
            self._start(host, stack)

    def _start(self, host: Host, stack: ExitStack) -> None:
        settings = {
            "ListenAddress": f"{host.address}:{PORT}",
            "HostKey": self.folder / "host",
            "AuthorizedKeysFile": self.folder / "authorized",
            "PidFile": "none",
            "UsePAM": "no",
            "StrictModes": "no",
            "PasswordAuthentication": "no",
            "KbdInteractiveAuthentication": "no",
        }
        file = self.folder / f"sshd-{host.address}"
        file.write_text("".join(f"{name} {value}\n" for name, value in settings.items()))
        serving = _IN_OWN_RUN.format(shlex.join([str(SSHD), "-D", "-e", "-f", str(file)]))
        log = stack.enter_context((self.folder / f"log-{host.address}").open("w"))
        line = [*entering(host), "unshare", "--mount", "sh", "-c", serving]
        server = subprocess.Popen(line, stderr=log, stdin=subprocess.DEVNULL)
        stack.callback(server.wait)
        stack.callback(server.kill)
        until = time.monotonic() + STARTS_S
        while "Server listening" not in Path(log.name).read_text():
            assert server.poll() is None, Path(log.name).read_text()
            assert time.monotonic() < until, "sshd does not listen"
            time.sleep(0.02)

    def there(self, name: str, script: str) -> Path:
        """A program that ssh can start there, with the environment of this test."""
        kept = {key: os.environ[key] for key in (MARK, "CALLBENCH_ADAPTERS") if key in os.environ}
        exports = "".join(f"export {key}={shlex.quote(value)}\n" for key, value in kept.items())
        file = self.folder / name
        file.write_text(f"#!/bin/sh\n{exports}cd {ROOT}\n{script}\n")
        file.chmod(0o755)
        return file

    def configure(self, *, key: str = "own", host_key: str | None = "host", more: str = "") -> None:
        """Write ssh's configuration: which key it uses, and which key of the hosts it knows."""
        known = self.folder / "known"
        text = (self.folder / f"{host_key}.pub").read_text() if host_key else ""
        known.write_text("".join(f"[{host.address}]:{PORT} {text}" for host in self.hosts) if text else "")
        lines = [f"Host {name}\n HostName {host.address}" for name, host in zip(self.names, self.hosts, strict=True)]
        rest = {
            "Port": PORT,
            "User": "root",
            "IdentityFile": self.folder / key,
            "IdentitiesOnly": "yes",
            "IdentityAgent": "none",
            "UserKnownHostsFile": known,
            "GlobalKnownHostsFile": "/dev/null",
        }
        everywhere = "".join(f" {name} {value}\n" for name, value in rest.items())
        (self.folder / "config").write_text(more + "\n".join(lines) + "\nHost *\n" + everywhere)

    def place(self, name: str, program: Path | str | None = None) -> str:
        """A host as an option names it."""
        return f"ssh:{name}:{program or self.program}"

    @property
    def places(self) -> str:
        """All hosts."""
        return ",".join(self.place(name) for name in self.names)

    @property
    def environment(self) -> Mapping[str, str]:
        """What the core's commands need. It has no keys of hosts."""
        return {
            "CALLBENCH_SSH": f"ssh -F {self.folder / 'config'}",
            "CALLBENCH_HOSTS": str(self.folder / "hosts"),
        }

    def run(self, *words: object, cwd: Path) -> subprocess.CompletedProcess[str]:
        """Run the program on the core."""
        return ran(self.core, *words, cwd=cwd, **self.environment)

    def begin(self, *words: object, cwd: Path) -> Program:
        """Start the program on the core."""
        return Program(words, self.core, cwd=cwd, **self.environment)


def refuses_silently(stack: ExitStack, host: Host, port: int) -> None:
    """Let a port of a host answer nothing, as behind a firewall that drops: the queue of its listener is full."""
    filling = (
        "import socket, sys, time\n"
        "listener = socket.socket(); listener.bind((sys.argv[1], int(sys.argv[2]))); listener.listen(0)\n"
        "fillers = [socket.socket() for _ in range(4)]\n"
        "[(one.setblocking(False), one.connect_ex(listener.getsockname())) for one in fillers]\n"
        "print('full', flush=True); sys.stdin.read()\n"
    )
    line = [*entering(host), sys.executable, "-c", filling, host.address, str(port)]
    program = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    stack.callback(program.communicate)
    assert program.stdout is not None
    assert program.stdout.readline() == "full\n"
