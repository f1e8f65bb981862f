"""The adapters on a host: started, asked and ended by orders of one core. It knows nothing of Dask.

An order is a JSON object with `do`, the name of an operation, and `core`; the answer is one too. Nothing of an order
becomes a program or a path: an adapter is named, and must be installed here. Commands of a study are run only if this
host's own file allows them.
"""

import base64
import hashlib
import json
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from callbench.adapter.network.host import Host
from callbench.adapter.network.host_usage import usage_here
from callbench.adapter.network.remote import facts, rights, stream
from callbench.adapter.network.remote.allowed_commands import with_allowed_commands
from callbench.adapter.network.remote.keys import Keys
from callbench.adapter.network.remote.lease import LEASE_OVER, Lease
from callbench.adapter.process import AdapterProcess
from callbench.adapter.watch.adapter_watch import AdapterWatch
from callbench.catalog import catalogue, external
from callbench.catalog.catalogue import KnownAdapter
from callbench.model.errors import AdapterFailure, CallbenchError
from callbench.model.installation import engine_remedy, home, netlab
from callbench.model.machine_limits import machine_failure

Order = Mapping[str, Any]
Answer = dict[str, Any]
_SIGNALS = {known.name: known for known in (signal.SIGTERM, signal.SIGKILL, signal.SIGSTOP, signal.SIGCONT)}
# What a core may ask that has not taken the host.
_WITHOUT_LEASE = {"take", "facts"}
# What reads disks, or waits for the end of processes: a word of the core that renews the lease must not wait for it.
SLOW = {"facts", "release", "rights", "send stream"}
# How many answers are kept, for an order that arrives twice.
_KEPT = 8
# So soon after its last report a drive says that it is done.
_NEXT_LINE_SECONDS = 0.002
# What the network lab says when it has made a host of a link within this one.
JOINED = "joined"


@dataclass
class HostedSession:
    """An adapter, and the thread that starts and asks it.

    To the kernel that thread is the parent of the adapter's supervisor, which ends with it.
    """

    thread: ThreadPoolExecutor
    process: AdapterProcess | None = None
    watch: AdapterWatch | None = None
    # Of a network lab: the host that it has made.
    made: Host | None = None
    answers: dict[int, Answer] = field(default_factory=dict)


class SessionHost:
    """All sessions of a host, of one core at a time."""

    def __init__(self, folder: Path, keys: Keys) -> None:
        """Begin without sessions. `folder` is for files that come with orders, `keys` are the host's."""
        self.lease = Lease()
        self._folder, self._keys = folder, keys
        self._sessions: dict[int, HostedSession] = {}
        # Those that are installed, as the core that has this host found them.
        self._adapters: dict[str, KnownAdapter] = {}
        # Those that may wait: each is done in the thread of its session.
        self._operations: dict[str, Callable[[HostedSession, Order], Answer]] = {
            "start": self._start,
            "exchange": self._exchange,
            "died": self._died,
            "log": self._log,
            "wait": self._wait,
            "watch": self._watch,
            "read": self._read,
            "watched": self._watched,
            "close input": self._close_input,
            "close": self._close,
        }

    @property
    def alive(self) -> int:
        """How many adapters there are."""
        return len(self._sessions)

    def thread_of(self, order: Order) -> ThreadPoolExecutor | None:
        """Return the thread in which to do an order; None: it is done at once."""
        if order["do"] not in self._operations:
            return None
        number = int(order["session"])
        known = number in self._sessions or order["core"] != self.lease.owner
        if order["do"] == "start" and not known:
            self._sessions[number] = HostedSession(ThreadPoolExecutor(1, thread_name_prefix=f"session-{number}"))
        session = self._sessions.get(number)
        return None if session is None else session.thread

    def answer(self, text: str) -> str:
        """Do an order of JSON. Return its answer as JSON; a failure is an answer too."""
        order: Order = json.loads(text)
        try:
            if not self.lease.renew(str(order["core"])) and order["do"] not in _WITHOUT_LEASE:
                raise AdapterFailure(
                    LEASE_OVER, "heard nothing of this core for too long, and has ended what it started"
                )
            return json.dumps(self._done(order))
        except CallbenchError as failure:
            return json.dumps({"failure": _record(failure), "broken": True, "closed": False})
        except (OSError, MemoryError, RuntimeError) as failure:
            # A full disk, for instance. By Dask it would look as if the connection had ended.
            refused = machine_failure(failure)
            if refused is None:
                raise
            return json.dumps({"failure": _record(refused), "broken": True, "closed": False})

    def _done(self, order: Order) -> Answer:
        do = str(order["do"])
        if do in self._operations:
            session = self._session(order)
            number = int(order["number"])
            # One that arrives twice is done once.
            if number not in session.answers:
                session.answers = dict(list(session.answers.items())[-_KEPT:])
                session.answers[number] = self._in_session(do, session, order)
            return session.answers[number]
        if do == "take":
            return {"taken": self.lease.take(str(order["core"]))}
        if do == "signal":
            # Not in the session's thread, which may be waiting for a line.
            _process(self._session(order)).signal(_SIGNALS[str(order["signal"])])
            return {}
        if do == "release":
            self.end()
            return {}
        if do.endswith(" stream"):
            return self._streamed(do, str(order["address"]), order)
        return _said(do)

    def _streamed(self, do: str, address: str, order: Order) -> Answer:
        """Take part in a stream between hosts: wait for it at an address, or send it to one."""
        if do == "receive stream":
            return {"port": stream.receive_once(self._keys, address)}
        return {"mbit_s": stream.send(self._keys, address, int(order["port"]))}

    def _session(self, order: Order) -> HostedSession:
        session = self._sessions.get(int(order["session"]))
        if session is None:
            raise AdapterFailure("died", "it has ended")
        return session

    def _in_session(self, do: str, session: HostedSession, order: Order) -> Answer:
        try:
            return self._operations[do](session, order) | _state(session)
        except CallbenchError as failure:
            return {"failure": _record(failure), **_state(session)}

    def _adapter(self, name: str) -> KnownAdapter | None:
        """Return an installed adapter. Manifests are read once a core: that takes as long as some slices."""
        if not self._adapters:
            self._adapters = {adapter.name: adapter for adapter in catalogue.load().adapters}
        return self._adapters.get(name)

    def _start(self, session: HostedSession, order: Order) -> Answer:
        who = str(order["who"])
        if order["adapter"] is None:
            session.process = _lab(who)
            return {}
        program, folder = self._servers_of_study(order) if order.get("servers") else self._installed(order)
        within = order.get("within")
        host = None if within is None else self._session({"session": within}).made
        options = () if host is None else host.enter_options()
        session.process = AdapterProcess(who, program, folder, (), host_options=options)
        return {}

    def _servers_of_study(self, order: Order) -> tuple[Sequence[str], Path]:
        """Return what represents the servers of a study here, and its folder."""
        tables = with_allowed_commands(order["servers"], self._keys.name)
        return external.program(external.OF_STUDY, "any", tables), self._folder

    def _installed(self, order: Order) -> tuple[Sequence[str], Path]:
        """Return the program of an installed adapter, and its folder."""
        name = str(order["adapter"])
        known = self._adapter(name)
        if known is None:
            raise AdapterFailure(
                "unsupported", f"the adapter {name} is not installed there: install it there, or omit it"
            )
        if known.why_not:
            raise AdapterFailure("unsupported", f"the adapter {name} cannot run there: {known.why_not}")
        return known.manifest.program, known.manifest.file.parent

    def _exchange(self, session: HostedSession, order: Order) -> Answer:
        """Pass lines on, and return the next line of the adapter, unless the core does not wait for one.

        What a drive reports last and its end are two lines, but one answer: each would be an order between two slices.
        """
        process = _process(session)
        for line in order["lines"]:
            process.send(self.with_own_files(line, order["files"]), float(order["send_s"]))
        if order["read_s"] is None:
            return {}
        now = time.monotonic()
        deadline, since = now + float(order["read_s"]), now - float(order["waited_s"])
        line = process.receive(deadline, str(order["awaited"]), since)
        if session.made is None and line.get("is") == JOINED:
            # Its paths are the lab's own: none of them comes from the core.
            session.made = Host(line["address"], line["netns"], line["user"])
        lines = [line]
        while lines[-1].get("is") == "interval" and process.says_more(_NEXT_LINE_SECONDS):
            lines.append(process.receive(deadline, str(order["awaited"]), since))
        return {"lines": lines}

    def with_own_files(self, line: Answer, files: Mapping[str, str]) -> Answer:
        """Replace the path of a schedule by one of this host with the same content."""
        path = line.get("schedule")
        if path is None:
            return line
        content = base64.b64decode(files[path])
        own = self._folder / hashlib.sha256(content).hexdigest()
        if not own.exists():
            own.write_bytes(content)
        return {**line, "schedule": str(own)}

    @staticmethod
    def _died(session: HostedSession, order: Order) -> Answer:
        failure = _process(session).died(float(order["seconds"]))
        return {"died": None if failure is None else _record(failure)}

    @staticmethod
    def _log(session: HostedSession, _: Order) -> Answer:
        return {"log": _process(session).last_log_lines()}

    @staticmethod
    def _wait(session: HostedSession, order: Order) -> Answer:
        return {"code": _process(session).wait(float(order["seconds"]))}

    @staticmethod
    def _watch(session: HostedSession, _: Order) -> Answer:
        _watch_no_more(session)
        session.watch = AdapterWatch(_process(session).pid)
        return {"reading": asdict(session.watch.begin)}

    @staticmethod
    def _read(session: HostedSession, _: Order) -> Answer:
        return {"reading": asdict(_watched(session).read())}

    @staticmethod
    def _watched(session: HostedSession, _: Order) -> Answer:
        return {"samples": _watched(session).end()}

    @staticmethod
    def _close_input(session: HostedSession, _: Order) -> Answer:
        _process(session).close_input()
        return {}

    def _close(self, session: HostedSession, order: Order) -> Answer:
        _watch_no_more(session)
        killed = session.process is not None and session.process.close(grace=float(order["seconds"]))
        self._sessions.pop(int(order["session"]), None)
        session.thread.shutdown(wait=False)
        return {"killed": killed}

    def end(self) -> None:
        """End every adapter at once, whatever its session waits for, and free the host."""
        self.lease.end()
        self._adapters = {}
        ending, self._sessions = self._sessions, {}
        for session in ending.values():
            if session.process is not None:
                # Its own thread may be reading from it, and sees the end.
                session.process.signal(signal.SIGKILL)
        for session in ending.values():
            session.thread.submit(_close_at_once, session)
            session.thread.shutdown(wait=True)
        for file in self._folder.iterdir():
            file.unlink()


def _lab(who: str) -> AdapterProcess:
    """Start the network lab. It ends with the thread that started it, and what it made ends with it."""
    program = netlab()
    if program is None:
        raise AdapterFailure("missing", f"the engine is not built there: {engine_remedy()}")
    return AdapterProcess(who, [str(program)], home(), (), supervised=False, speaks="the network lab")


def _said(do: str) -> Answer:
    """Return what this host is, what its user may do, how busy it is, or its clocks. `renew` asks for nothing."""
    if do == "facts":
        return facts.of_this_host()
    if do == "rights":
        return {"rights": rights.of_this_user()}
    if do == "usage":
        return {"usage": asdict(usage_here())}
    received, received_ns = time.monotonic_ns(), time.time_ns()
    return {
        "received_ns": received_ns,
        "received_monotonic_ns": received,
        "answered_ns": time.time_ns(),
        "answered_monotonic_ns": time.monotonic_ns(),
    }


def _watched(session: HostedSession) -> AdapterWatch:
    if session.watch is None:
        raise AdapterFailure("internal", "is not watched")
    return session.watch


def _watch_no_more(session: HostedSession) -> None:
    if session.watch is not None:
        session.watch.end()


def _close_at_once(session: HostedSession) -> None:
    _watch_no_more(session)
    # It may have been started after the others were killed.
    if session.process is not None:
        session.process.close(grace=0)


def _record(failure: CallbenchError) -> Answer:
    """Return a failure as JSON; `remote_process` makes the failure of it again."""
    kind, ending = getattr(failure, "kind", None), getattr(failure, "ending", None)
    return {"message": str(failure), "kind": kind, "ending": ending, "exit_code": failure.exit_code}


def _process(session: HostedSession) -> AdapterProcess:
    if session.process is None:
        raise AdapterFailure("died", "it was not started")
    return session.process


def _state(session: HostedSession) -> Answer:
    process = session.process
    return {"broken": process is None or process.broken, "closed": process is not None and process.closed}
