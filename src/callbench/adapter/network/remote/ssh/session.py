"""One agent over ssh: started, given its keys, and ended."""

import os
import queue
import shlex
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from callbench.adapter.network.remote import facts
from callbench.adapter.network.remote.host_failure import HostFailure
from callbench.adapter.network.remote.keys import Keys
from callbench.adapter.network.remote.ssh import handover
from callbench.adapter.network.remote.ssh.place import SshPlace
from callbench.adapter.network.remote.ssh.refusal import CONNECT_SECONDS, why_not

# The command for ssh, with options of its own: as `GIT_SSH_COMMAND`.
SSH_VARIABLE = "CALLBENCH_SSH"
# It never asks a person, checks the host's key, and notices a cable that was pulled.
_OPTIONS = {
    "BatchMode": "yes",
    "StrictHostKeyChecking": "yes",
    "ConnectTimeout": CONNECT_SECONDS,
    "ConnectionAttempts": 1,
    "ServerAliveInterval": 2,
    "ServerAliveCountMax": 3,
    "ControlMaster": "no",
    "ClearAllForwardings": "yes",
    "ForwardAgent": "no",
    "ForwardX11": "no",
}
# A machine under load is slow to start Python, and to import what an agent needs.
_STARTS_SECONDS, _ENDS_SECONDS = 60.0, 5.0
_Found = TypeVar("_Found")


class SshSession:
    """An agent on another machine, which ends with this process.

    Attributes:
        place: where it is.
    """

    def __init__(self, place: SshPlace) -> None:
        """Start ssh; `hello` waits for the agent.

        Raises:
            HostFailure: there is no ssh.
        """
        self.place = place
        ssh = shlex.split(os.environ.get(SSH_VARIABLE, "")) or ["ssh"]
        options = [word for name, value in _OPTIONS.items() for word in ("-o", f"{name}={value}")]
        # Programs of a user lie there, and are not in the PATH of a session without a terminal.
        there = f'PATH="$PATH:$HOME/.local/bin"; export PATH; exec {place.program} agent -'
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `end`
        try:
            # In a session of its own, Ctrl-C does not reach it before the hosts are free.
            self._process = subprocess.Popen(
                [*ssh, *options, "-T", "--", place.target, f"exec sh -c '{there}'"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                start_new_session=True,
            )
        except OSError as failure:
            self._errors.close()
            raise HostFailure(
                f"{ssh[0]} cannot be started ({failure.strerror}): install ssh, or name it in {SSH_VARIABLE}"
            ) from failure
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True, name=f"ssh-{place.name}").start()

    def _read(self) -> None:
        assert self._process.stdout is not None  # noqa: S101 - a pipe
        for line in self._process.stdout:
            self._lines.put(line.decode(errors="replace").strip())
        self._lines.put(None)

    def hello(self) -> handover.AgentHello:
        """Wait for the agent. Return what it said first.

        Raises:
            HostFailure: there is none, or it has another version.
        """
        said = self._awaited(handover.read_hello)
        facts.check_version(self.place.name, said.versions)
        return said

    def hand_over(self, keys: Keys) -> None:
        """Give it the keys of its host.

        Raises:
            HostFailure: it has ended.
        """
        assert self._process.stdin is not None  # noqa: S101 - a pipe
        try:
            self._process.stdin.write(handover.handed(keys))
            self._process.stdin.flush()
        except OSError:
            raise self._ended() from None

    def await_serving(self) -> None:
        """Wait until it serves the core.

        Raises:
            HostFailure: it does not.
        """
        self._awaited(lambda line: line if line.startswith(f"host {self.place.name} serves") else None)

    def await_end(self) -> str:
        """Wait until it ends. Return why it did, in a sentence."""
        while self._lines.get() is not None:
            continue
        return str(self._ended())

    def _awaited(self, read: Callable[[str], _Found | None]) -> _Found:
        until = time.monotonic() + _STARTS_SECONDS
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                raise HostFailure(
                    f"the agent on {self.place.host} did not start within {_STARTS_SECONDS:g} s: see that"
                    f" `ssh {self.place.target} {self.place.program} --version` answers"
                ) from None
            if line is None:
                raise self._ended()
            found = read(line)
            if found is not None:
                return found

    def _ended(self) -> HostFailure:
        """Return why it has ended."""
        try:
            code: int | None = self._process.wait(_ENDS_SECONDS)
        except subprocess.TimeoutExpired:
            code = None
        self._errors.seek(0)
        return HostFailure(why_not(self.place, code, self._errors.read().decode(errors="replace")))

    def close_input(self) -> None:
        """Let it see that its core has gone: it then ends what it has started, and itself."""
        assert self._process.stdin is not None  # noqa: S101 - a pipe
        with suppress(OSError):
            self._process.stdin.close()

    def end(self) -> None:
        """End it, and wait for its end."""
        self.close_input()
        try:
            self._process.wait(_ENDS_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._errors.close()
