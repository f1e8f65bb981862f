"""All agents that a core starts over ssh: their keys, the scheduler that they join, and their end."""

import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path

from callbench.adapter import temporary
from callbench.adapter.network.remote import keys as making
from callbench.adapter.network.remote.host_failure import HostFailure
from callbench.adapter.network.remote.keys import Keys
from callbench.adapter.network.remote.scheduler import BackgroundScheduler
from callbench.adapter.network.remote.ssh.handover import AgentHello
from callbench.adapter.network.remote.ssh.place import SshPlace, read_place
from callbench.adapter.network.remote.ssh.session import SshSession

_DAYS = 2


class SshAgents:
    """The agents, their keys and a scheduler, until `close` or the end of this process.

    Attributes:
        keys: of the core.
    """

    def __init__(self, places: Sequence[SshPlace], folder: Path | None = None) -> None:
        """Start them, and wait until all serve.

        Args:
            places: where.
            folder: of the core's keys, made if there are none; None: keys of this process alone.

        Raises:
            HostFailure: one cannot be had. Nothing is left then.
        """
        self._stack = ExitStack()
        try:
            self._sessions = [self._session(place) for place in places]
            # They start at the same time.
            hellos = {session.place: session.hello() for session in self._sessions}
            self.keys = self._made_keys(hellos, folder)
            self._stack.enter_context(BackgroundScheduler(self.keys))
            # Agents end before their scheduler does.
            self._stack.callback(self._end_sessions)
            for session in self._sessions:
                session.hand_over(making.read(self.keys.folder / session.place.name))
            for session in self._sessions:
                session.await_serving()
        except BaseException:
            self.close()
            raise

    def _session(self, place: SshPlace) -> SshSession:
        session = SshSession(place)
        self._stack.callback(session.end)
        return session

    def _made_keys(self, hellos: Mapping[SshPlace, AgentHello], folder: Path | None) -> Keys:
        names = [place.name for place in hellos]
        if folder is None:
            folder = self._stack.enter_context(temporary.folder("callbench-keys-")) / "hosts"
            address = _own_address(hellos)
            making.create(folder, address, names, port=_free_port(address), days=_DAYS)
            return making.read(folder)
        if not making.are_there(folder):
            making.create(folder, _own_address(hellos), [])
        core = making.read(folder)
        new = [name for name in names if name not in core.hosts]
        making.create(folder, core.address, new, port=core.port)
        return core

    def _end_sessions(self) -> None:
        for session in self._sessions:
            session.close_input()
        for session in self._sessions:
            session.end()

    def await_end(self, say: Callable[[str], None]) -> None:
        """Wait until all have ended, and say why each did."""

        def await_one(session: SshSession) -> None:
            say(session.await_end())

        threads = [threading.Thread(target=await_one, args=(session,), daemon=True) for session in self._sessions]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def close(self) -> None:
        """End all of them."""
        self._stack.close()


def _own_address(hellos: Mapping[SshPlace, AgentHello]) -> str:
    """Return the address of this machine at which all hosts see it.

    Raises:
        HostFailure: there is none.
    """
    seen = {place: next(iter(said.connection), "").removeprefix("::ffff:") for place, said in hellos.items()}
    first, *others = sorted({*seen.values()})
    if others:
        raise HostFailure(
            f"{' and '.join(f'{place.host} sees {address}' for place, address in seen.items())} as this machine: make"
            " keys for one address with `callbench hosts init ADDRESS NAME`, and use `callbench hosts start`"
        )
    with suppress(OSError), socket.create_server((first, 0), family=_family(first)):
        return first
    raise HostFailure(
        f"{next(iter(seen)).host} sees this machine as {first or 'nothing'}, which is no address of it (a NAT lies"
        " between): start the run on a machine that hosts reach, for instance on one of them"
    )


def _free_port(address: str) -> int:
    """Return the usual port if nobody listens there, else any free one."""
    for port in (making.PORT, 0):
        with suppress(OSError), socket.create_server((address, port), family=_family(address)) as listener:
            return int(listener.getsockname()[1])
    raise HostFailure(f"{address} has no free port: end what listens there")


def _family(address: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def serve_with_agents(texts: Sequence[str], folder: Path, say: Callable[[str], None]) -> None:
    """Be the scheduler and have agents over ssh, until this process is interrupted or all have ended.

    Args:
        texts: where, each as `ssh:USER@HOST`.
        folder: of the core's keys, made if there are none.
        say: told what happens, in sentences.

    Raises:
        HostFailure: one cannot be had.
    """
    with closing(SshAgents([read_place(text) for text in texts], folder)) as agents:
        for text in texts:
            say(f"host {read_place(text).name} serves this core by {text}; Ctrl-C ends it")
        agents.await_end(say)
