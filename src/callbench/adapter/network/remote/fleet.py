"""The core's connection to its hosts: which are there, and orders to them."""

import atexit
import functools
import itertools
import json
import threading
import time
import uuid
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import urlsplit

from callbench.adapter.network.host import Host
from callbench.adapter.network.host_usage import HostUsage
from callbench.adapter.network.remote import facts, settings
from callbench.adapter.network.remote.agent import ABOUT
from callbench.adapter.network.remote.clock_check import exchange, refuse_wrong_clock
from callbench.adapter.network.remote.door import PATIENCE_SECONDS, check_door, nobody_listens
from callbench.adapter.network.remote.host_failure import HostFailure
from callbench.adapter.network.remote.keys import Keys, default_folder, read
from callbench.adapter.network.remote.lease import LEASE_OVER, RENEW_SECONDS, RENEWED_SECONDS
from callbench.adapter.network.remote.orders import Orders, ordered
from callbench.adapter.network.remote.remote_process import RemoteProcess
from callbench.adapter.network.remote.ssh.place import is_place, name_of, read_place
from callbench.catalog.manifest import Manifest
from callbench.model.errors import HostLost
from callbench.stats.estimate.clock_offset import ClockExchange, ClockOffset, clock_offset

# Beyond what an order may take there: a round trip, and an agent that is busy. A renewal takes no time there.
_BEYOND_SECONDS = RENEWED_SECONDS
_PRESENT_SECONDS = 2.0
# For a connection to a host that has not answered an order: every fault is said within 10 s.
_CONNECT_SECONDS = 2.0
# The shortest of so many round trips bounds the offset of a clock.
_EXCHANGES = 20
# So many hosts are taken at the same time.
MOST_AT_ONCE = 16


@dataclass(frozen=True)
class Present:
    """An agent that is connected.

    Attributes:
        address: at which it takes orders.
        port: likewise.
        about: its versions, and what machine it is.
    """

    name: str
    address: str
    port: int
    about: Mapping[str, Any]

    @property
    def does(self) -> str:
        """What it does, as it said a moment ago."""
        if not self.about.get("in_use"):
            return "free"
        return f"in use by a core, {self.about.get('running')} adapters run"


class Agent:
    """A host's agent, whose host this core has taken."""

    def __init__(self, fleet: "Fleet", present: Present) -> None:
        """Remember where it is."""
        self._fleet, self.present = fleet, present
        self._sessions = itertools.count(1)
        self._orders = Orders()
        # Why the host is lost, for the rest of this process; None: it is not.
        self._lost: str | None = None

    def ask(self, do: str, members: Mapping[str, object], seconds: float = 1.0) -> dict[str, Any]:
        """Order something. Return its answer.

        Raises:
            ConnectionError, HostFailure: as in `Fleet.ask`.
        """
        if self._lost is not None:
            raise ConnectionError(self._lost)
        try:
            return self._fleet.ask(self.present, do, members, seconds, self._orders)
        except ConnectionError as lost:
            # Nobody waits for it any more: what runs there ends by itself, and what runs elsewhere is ended soon.
            self._lost = self._lost or str(lost)
            self._orders.end()
            raise ConnectionError(self._lost) from lost

    def keep_lease(self, ended: threading.Event) -> None:
        """Renew the lease until the end, or until the host is lost."""
        with suppress(ConnectionError):
            while not ended.wait(RENEW_SECONDS):
                self.ask("renew", {}, 0.0)

    def start(self, who: str, manifest: Manifest | None, within: int | None = None) -> RemoteProcess:
        """Start an adapter there, or the network lab; what is given, and failures, as in `RemoteProcess`."""
        return RemoteProcess(who, manifest, self.present.name, next(self._sessions), self.ask, within=within)


@dataclass(frozen=True)
class RemoteHost(Host):
    """A host on another machine. Its adapters use all processors that its agent may use.

    Attributes:
        agent: the machine's.
        core_address: at which the machine reaches the core.
        within: the session of the network lab that made this host within the machine; None: it is the machine.
    """

    agent: Agent | None = None
    core_address: str = ""
    within: int | None = None

    @property
    def name(self) -> str:
        """Its name."""
        return self._asked.present.name

    @property
    def elsewhere(self) -> bool:
        """It has an agent."""
        return True

    @property
    def _asked(self) -> Agent:
        assert self.agent is not None  # noqa: S101 - the default is for dataclasses alone
        return self.agent

    def clock(self) -> ClockOffset:
        """Return its monotonic clock less that of this process, from the shortest of some round trips.

        Raises:
            HostLost: it does not answer.
        """
        return clock_offset(self._exchange() for _ in range(_EXCHANGES))

    def _exchange(self) -> ClockExchange:
        sent = time.monotonic_ns()
        there = self._ask("clock")
        return ClockExchange(sent, there["received_monotonic_ns"], there["answered_monotonic_ns"], time.monotonic_ns())

    def usage(self) -> HostUsage:
        """Return how busy the processors are that its agent may use.

        Raises:
            HostLost: it does not answer.
        """
        return HostUsage(**self._ask("usage")["usage"])

    def _ask(self, do: str) -> dict[str, Any]:
        try:
            return self._asked.ask(do, {})
        except ConnectionError as lost:
            raise HostLost(str(lost), self.name) from lost

    def start(self, who: str, manifest: Manifest, processors: Sequence[int]) -> RemoteProcess:
        """Start an adapter there; the processors of this machine mean nothing there.

        Raises:
            AdapterFailure, MachineFailure: as in `RemoteProcess`.
        """
        del processors
        return self._asked.start(who, manifest, self.within)

    def start_lab(self) -> RemoteProcess:
        """Start the network lab there; failures as in `start`."""
        return self._asked.start("the network lab", None)

    def about(self) -> dict[str, Any]:
        """Return what it says of itself: versions, processors, system; and how long an order takes there and back.

        Raises:
            HostFailure: it is lost.
        """
        try:
            facts_there, clock = self._asked.ask("facts", {}, 5.0), self.clock()
        except (ConnectionError, HostLost) as lost:
            raise HostFailure(f"{lost}: see what its agent says") from lost
        known = {"clock_bound_ns": round(clock.bound_ns), "round_trip_ns": clock.round_trip_ns}
        return {"address": self.address, **facts_there, **known}


class Fleet:
    """The hosts of a core, for one process. Close it: the hosts are then free, and nothing runs on them."""

    def __init__(self, keys: Keys) -> None:
        """Connect to the scheduler.

        Raises:
            HostFailure: it cannot be reached, or refuses the keys.
        """
        settings.apply()
        from distributed import Client  # noqa: PLC0415 - after `settings.apply`

        self.keys = keys
        self._core = uuid.uuid4().hex
        self._agents: dict[str, Agent] = {}
        # The host that is on a machine, of those that are taken or being taken.
        self._on_machine: dict[object, str] = {}
        where = f"{keys.address}:{keys.port}"
        check_door(keys, (keys.address, keys.port), f"the core's scheduler at {where}", "run `callbench hosts start`")
        try:
            self._client = Client(
                f"tls://{where}", security=settings.security(keys), timeout="8s", set_as_default=False
            )
        except (OSError, ValueError) as failure:
            raise HostFailure(f"the scheduler at {where} does not take this core: {failure}") from failure
        self._ended = threading.Event()

    def present(self) -> dict[str, Present]:
        """Return the hosts whose agents are connected, by name."""
        workers = self._client.scheduler_info(n_workers=-1)["workers"]
        found = {}
        for where, worker in workers.items():
            address = urlsplit(where)
            name, about = str(worker["name"]), worker["metrics"].get(ABOUT) or {}
            found[name] = Present(name, str(address.hostname), int(address.port or 0), about)
        return dict(sorted(found.items()))

    def about(self, present: Present) -> dict[str, Any]:
        """Return what a host says of itself: versions, processors, system. It need not be taken.

        Raises:
            HostFailure: it is lost.
        """
        try:
            return self.ask(present, "facts", {}, 5.0)
        except ConnectionError as lost:
            raise HostFailure(f"{lost}: see what its agent says") from lost

    def take(self, name: str) -> Agent:
        """Take a host for this core.

        Raises:
            HostFailure: it is not there, does not fit, or another core has it.
        """
        self.take_all([name])
        return self._agents[name]

    def take_all(self, names: Sequence[str]) -> None:
        """Take hosts for this core, at the same time: each answers only after some round trips.

        Raises:
            HostFailure: as in `take`, of the first that cannot be had.
        """
        wanted = [name for name in dict.fromkeys(names) if name not in self._agents]
        if not wanted:
            return
        there = self._awaited(wanted)
        try:
            for name in wanted:
                self._check_present(there[name])
            with ThreadPoolExecutor(min(len(wanted), MOST_AT_ONCE), thread_name_prefix="take") as pool:
                list(pool.map(self._enter, (there[name] for name in wanted)))
        except HostFailure:
            self._leave(name for name in wanted if name not in self._agents)
            raise

    def _check_present(self, present: Present) -> None:
        """Refuse a host that does not fit this core, or is another name of a host that it has.

        Raises:
            HostFailure: it is so.
        """
        name = present.name
        facts.check_version(name, present.about)
        twin = self._on_machine.setdefault(present.about["machine"], name)
        if twin != name:
            raise HostFailure(f"{twin} and {name} are the same machine: name another host, or measure without --hosts")

    def _enter(self, present: Present) -> None:
        """Take a host that fits.

        Raises:
            HostFailure: it cannot be reached, another core has it, or its clock is wrong.
        """
        name, agent = present.name, Agent(self, present)
        try:
            taken = self._takes(present)
        except ConnectionError:
            # Only now: a second handshake with each of a hundred hosts would double what the core has to do.
            self._check_door_of(present)
            taken = self._takes_or_is_lost(present)
        if not taken:
            raise HostFailure(f"host {name} is in use by another core: wait until it has ended, or end it")
        self._check_clock(agent)
        self._agents[name] = agent
        # A thread each: a host that does not answer must not cost another one its lease.
        threading.Thread(target=agent.keep_lease, args=(self._ended,), daemon=True, name=f"lease-{name}").start()

    @staticmethod
    def _check_clock(agent: Agent) -> None:
        """Free a host again whose clock is wrong.

        Raises:
            HostFailure: it is, or the host does not answer.
        """
        name = agent.present.name
        try:
            refuse_wrong_clock(name, clock_offset([exchange(agent)]))
        except HostFailure:
            with suppress(ConnectionError):
                agent.ask("release", {})
            raise
        except ConnectionError as lost:
            raise HostFailure(f"host {name} is lost ({lost}): see what its agent says") from lost

    def _takes(self, present: Present) -> bool:
        """Order a host to be this core's. Return whether it is.

        Raises:
            ConnectionError: it does not answer.
        """
        return bool(self.ask(present, "take", {}, 0.0)["taken"])

    def _takes_or_is_lost(self, present: Present) -> bool:
        """Order it once more, of a host that can be reached: it may have been slow alone.

        Raises:
            HostFailure: it does not answer.
        """
        try:
            return self._takes(present)
        except ConnectionError as lost:
            raise HostFailure(f"host {present.name} is lost ({lost}): see what its agent says") from lost

    def free(self, names: Iterable[str]) -> None:
        """Free hosts that are taken: others can use them again."""
        for name in names:
            if (agent := self._agents.pop(name, None)) is not None:
                with suppress(ConnectionError, HostFailure):
                    agent.ask("release", {})
                self._leave([name])

    def _leave(self, names: Iterable[str]) -> None:
        """Let other hosts be on the machines of these."""
        gone = set(names)
        for machine, name in list(self._on_machine.items()):
            if name in gone:
                del self._on_machine[machine]

    def _check_door_of(self, present: Present) -> None:
        """Say why a host cannot be reached.

        Raises:
            HostFailure: it cannot.
        """
        what = f"host {present.name} at {present.address}:{present.port}"
        remedy = (
            f"run `callbench agent` on {present.name} again; if it runs, let the core reach that port through its"
            " firewall or NAT"
        )
        check_door(
            self.keys,
            (present.address, present.port),
            what,
            remedy,
            connect_s=_CONNECT_SECONDS,
            seconds=PATIENCE_SECONDS,
        )

    def host(self, name: str) -> RemoteHost:
        """Take a host. Return it as a side of a link.

        Raises:
            HostFailure: as in `take`.
        """
        agent = self.take(name)
        return RemoteHost(agent.present.address, agent=agent, core_address=self.keys.address)

    def _awaited(self, names: Sequence[str]) -> dict[str, Present]:
        """Return agents that are connected. One that has just lost its scheduler comes back in a moment."""
        until = time.monotonic() + _PRESENT_SECONDS
        there = self.present()
        while missing := [name for name in names if name not in there]:
            if time.monotonic() > until:
                self._refuse(missing[0], list(there))
            time.sleep(0.1)
            there = self.present()
        return there

    def _refuse(self, name: str, there: Sequence[str]) -> NoReturn:
        known = self.keys.hosts
        if name not in known:
            raise HostFailure(
                f"no host is called {name}: {', '.join(known) or 'none'} {'has' if len(known) < 2 else 'have'} keys in"
                f" {self.keys.folder}; `callbench hosts init ADDRESS NAME` makes more"
            )
        raise HostFailure(
            f"host {name} has no agent: run `callbench agent` there; connected: {', '.join(there) or 'none'}"
        )

    def ask(
        self, present: Present, do: str, members: Mapping[str, object], seconds: float, orders: Orders | None = None
    ) -> dict[str, Any]:
        """Order something of a host. Return its answer; that of a session may be a failure.

        Args:
            present: the host.
            do: the operation.
            members: of the order.
            seconds: that it may take there.
            orders: those of a host that is taken; they end together.

        Raises:
            ConnectionError: it does not answer within the seconds, and a few more, or has ended the lease.
            HostFailure: it cannot do it, and says why.
        """
        text = json.dumps({"do": do, "core": self._core, **members}, separators=(",", ":"))
        limit_s = seconds + _BEYOND_SECONDS
        try:
            order = ordered(self._client, (present.address, present.port), text)
            answer: dict[str, Any] = json.loads((orders or Orders()).await_answer(order, limit_s))
        except TimeoutError:
            raise ConnectionError(f"host {present.name} does not answer within {limit_s:g} s") from None
        except (OSError, RuntimeError, ValueError, CancelledError) as failure:
            raise ConnectionError(self._what_ended(present.name)) from failure
        if "session" not in members and (said := answer.get("failure")):
            if said["kind"] == LEASE_OVER:
                raise ConnectionError(f"host {present.name} {said['message']}")
            raise HostFailure(f"host {present.name}: {said['message']}")
        return answer

    def _what_ended(self, name: str) -> str:
        """Return why a connection to a host has ended: its agent leaves a scheduler that has."""
        where = self.keys.address, self.keys.port
        if nobody_listens(where, _CONNECT_SECONDS):
            return f"the scheduler at {where[0]}:{where[1]} has ended: run `callbench hosts start`"
        return f"the connection to host {name} has ended"

    def close(self) -> None:
        """Free the hosts: what is left there ends."""
        self._ended.set()
        self.free(list(self._agents))
        self._client.close(timeout=2)


@functools.cache
def fleet_of(folder: Path) -> Fleet:
    """Return the connection of this process with these keys. It ends with the process.

    Raises:
        HostFailure: as in `Fleet`, or the keys are wrong.
    """
    fleet = Fleet(read(folder))
    atexit.register(fleet.close)
    return fleet


@functools.cache
def fleet_by_ssh(texts: tuple[str, ...]) -> Fleet:
    """Return the connection of this process with agents that it starts over ssh. They end with it.

    Raises:
        HostFailure: one cannot be had.
    """
    settings.apply()
    from callbench.adapter.network.remote.ssh.agents import SshAgents  # noqa: PLC0415 - after `settings.apply`

    named = [text for text in texts if not is_place(text)]
    if named:
        raise HostFailure(f"--hosts has ssh:USER@HOST and the name {named[0]}: give all hosts in one of the two ways")
    agents = SshAgents([read_place(text) for text in texts])
    atexit.register(agents.close)
    fleet = Fleet(agents.keys)
    atexit.register(fleet.close)
    return fleet


def hosts_of(names: Mapping[str, str]) -> dict[str, RemoteHost]:
    """Return taken hosts by side, from their names or as `ssh:USER@HOST`.

    Raises:
        HostFailure: one cannot be had.
    """
    by_ssh = any(is_place(name) for name in names.values())
    fleet = fleet_by_ssh(tuple(sorted(names.values()))) if by_ssh else fleet_of(default_folder())
    fleet.take_all([name_of(name) for name in names.values()])
    return {side: fleet.host(name_of(name)) for side, name in names.items()}


def about_connected() -> dict[str, dict[str, Any]]:
    """Return what each connected host says of itself, without taking it.

    Raises:
        HostFailure: the scheduler or a host cannot be reached.
    """
    fleet = fleet_of(default_folder())
    return {name: {"address": present.address, **fleet.about(present)} for name, present in fleet.present().items()}
