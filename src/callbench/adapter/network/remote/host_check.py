"""Check hosts: what is there, what their users may do, their clocks, how long an order takes, how much goes over."""

import statistics
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any

from callbench.adapter.network.remote import stream
from callbench.adapter.network.remote.clock_check import exchange
from callbench.adapter.network.remote.fleet import MOST_AT_ONCE, Agent, Fleet, fleet_of
from callbench.adapter.network.remote.host_failure import HostFailure
from callbench.adapter.network.remote.keys import default_folder
from callbench.stats.estimate.clock_offset import clock_offset

_EXCHANGES = 100
# An order to send takes as long as the stream, and as its slowest step.
_STREAM_SECONDS = 15.0
# Rights are tried: a pair of hosts is made.
_RIGHTS_SECONDS = 30.0


@dataclass(frozen=True)
class StreamCheck:
    """What one stream by TLS carries from a host to another one.

    Attributes:
        to: the other host.
        mbit_s: Mbit/s that arrived in `seconds`; None: there was no stream.
        seconds: for how long it was counted.
        why_not: why there was none, in a sentence; "" if there was one.
    """

    to: str
    mbit_s: float | None = None
    seconds: float = stream.COUNTED_SECONDS
    why_not: str = ""

    @property
    def text(self) -> str:
        """How the table has it."""
        return f"{self.mbit_s:.3g} Mbit/s to {self.to}" if self.mbit_s is not None else f"none to {self.to}"


@dataclass(frozen=True)
class HostCheck:
    """What a host is.

    Attributes:
        wrong: why it cannot be used, in a sentence; "" if it can.
        clock_ms: its clock less this one, in milliseconds.
        clock_bound_ms: the offset is not further from `clock_ms` than this.
        round_trip_ms: of an order and its answer, median.
        adapters: how many adapters can run there.
        lacking: the adapters that cannot.
        tools: whether each is there; None: it is not known.
        rights: why its user may not, by right; None: it may.
        stream: one stream to another host; None if no other was checked.
    """

    name: str
    wrong: str = ""
    address: str = ""
    version: str = ""
    system: str = ""
    processors: int = 0
    clock_ms: float | None = None
    clock_bound_ms: float | None = None
    round_trip_ms: float | None = None
    adapters: int = 0
    lacking: tuple[str, ...] = ()
    tools: Mapping[str, bool | None] = field(default_factory=dict)
    rights: Mapping[str, str | None] = field(default_factory=dict)
    stream: StreamCheck | None = None

    def record(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return asdict(self)

    def row(self) -> dict[str, str]:
        """Return it as texts."""
        if self.clock_ms is None or self.clock_bound_ms is None:
            return {"host": self.name, "wrong": self.wrong}
        return {
            "host": self.name,
            "address": self.address,
            "system": self.system,
            "processors": str(self.processors),
            "adapters": f"{self.adapters} of {self.adapters + len(self.lacking)}",
            "clock": f"{self.clock_ms:+.3g} ms ± {self.clock_bound_ms:.2g}",
            "round trip": f"{self.round_trip_ms:.2g} ms",
            "stream": "" if self.stream is None else self.stream.text,
            "lacks": ", ".join(name for name, there in self.tools.items() if there is False),
            "may not": ", ".join(name for name, why in self.rights.items() if why),
            "wrong": self.wrong,
        }


def check_hosts(fleet: Fleet, names: Sequence[str]) -> list[HostCheck]:
    """Check each host; one that cannot be used does not end the check of the others.

    What hosts say and try is asked of all at the same time. Round trips are measured one host after another, since the
    core would have to share itself. Each host that can be used sends a stream to the next of them, and the last one to
    the first.
    """
    with _side_by_side(names) as pool:
        asked = list(pool.map(partial(_asked, fleet), names))
    checks = [_timed(check, agent) if agent is not None else check for check, agent in asked]
    agents = [agent for check, (_, agent) in zip(checks, asked, strict=True) if agent is not None and not check.wrong]
    streams = _streams(agents) if len(agents) > 1 else {}
    return [replace(check, stream=streams.get(check.name)) for check in checks]


def _side_by_side(parts: Sequence[object]) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max(1, min(len(parts), MOST_AT_ONCE)), thread_name_prefix="check")


def _streams(agents: Sequence[Agent]) -> dict[str, StreamCheck]:
    """Let each host send to the next one. No host takes part in two streams at the same time."""
    pairs = list(zip(agents, [*agents[1:], *agents[:1]], strict=True))
    # Of a ring with an odd number of hosts, the last stream shares a host with the first one and with that before it.
    odd = pairs[-1:] if len(pairs) % 2 else []
    even = pairs[: len(pairs) - len(odd)]
    found: dict[str, StreamCheck] = {}
    for disjoint in (even[::2], even[1::2], odd):
        with _side_by_side(disjoint) as pool:
            made = pool.map(lambda pair: streamed(*pair), disjoint)
            found |= {sender.present.name: check for (sender, _), check in zip(disjoint, made, strict=True)}
    return found


def streamed(sender: Agent, receiver: Agent) -> StreamCheck:
    """Let a host send a stream to another one."""
    to = receiver.present
    try:
        port = receiver.ask("receive stream", {"address": to.address})["port"]
        sent = sender.ask("send stream", {"address": to.address, "port": port}, _STREAM_SECONDS)
    except (HostFailure, ConnectionError) as failure:
        return StreamCheck(to.name, why_not=str(failure))
    return StreamCheck(to.name, sent["mbit_s"])


def stream_between(sender: str, receiver: str) -> float | None:
    """Return what a stream from a connected host to another one carries, in Mbit/s; None: there is none.

    Both are free again after it.

    Raises:
        HostFailure: one cannot be had.
    """
    fleet = fleet_of(default_folder())
    fleet.take_all([sender, receiver])
    try:
        return streamed(fleet.take(sender), fleet.take(receiver)).mbit_s
    finally:
        fleet.free([sender, receiver])


def _asked(fleet: Fleet, name: str) -> tuple[HostCheck, Agent | None]:
    """Take a host, and ask what it is. Return no agent if it cannot be used."""
    try:
        agent = fleet.take(name)
        about = agent.ask("facts", {}, 5.0)
        may_not = agent.ask("rights", {}, _RIGHTS_SECONDS)["rights"]
    except HostFailure as failure:
        return HostCheck(name, str(failure)), None
    except ConnectionError as lost:
        return HostCheck(name, f"{lost}: see what its agent says"), None
    lacking = sorted(adapter for adapter, why in about["adapters"].items() if why)
    check = HostCheck(
        name=name,
        address=agent.present.address,
        version=about["version"],
        system=f"{about['system']} {about['architecture']}",
        processors=len(about["processors"]),
        adapters=len(about["adapters"]) - len(lacking),
        lacking=tuple(lacking),
        tools=about["tools"],
        rights=may_not,
    )
    return check, agent


def _timed(check: HostCheck, agent: Agent) -> HostCheck:
    """Add the clock of a host, and how long an order takes."""
    try:
        exchanges = [exchange(agent) for _ in range(_EXCHANGES)]
    except ConnectionError as lost:
        return HostCheck(check.name, f"{lost}: see what its agent says")
    offset = clock_offset(exchanges)
    return replace(
        check,
        clock_ms=offset.ns / 1e6,
        clock_bound_ms=offset.bound_ns / 1e6,
        round_trip_ms=statistics.median(made.round_trip_ns for made in exchanges) / 1e6,
    )
