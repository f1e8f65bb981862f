"""Check hosts: what is there, how far their clocks are off, and how long an order takes."""

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from callbench.adapter.network.remote.clock_check import exchange
from callbench.adapter.network.remote.fleet import Agent, Fleet
from callbench.adapter.network.remote.host_failure import HostFailure
from callbench.stats.estimate.clock_offset import clock_offset

_EXCHANGES = 100


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
            "wrong": self.wrong,
        }


def check_hosts(fleet: Fleet, names: Sequence[str]) -> Iterator[HostCheck]:
    """Check each host; one that cannot be used does not end the check of the others."""
    for name in names:
        try:
            yield _checked(name, fleet.take(name))
        except HostFailure as failure:
            yield HostCheck(name, str(failure))
        except ConnectionError as lost:
            yield HostCheck(name, f"{lost}: see what its agent says")


def _checked(name: str, agent: Agent) -> HostCheck:
    about = agent.ask("facts", {}, 5.0)
    exchanges = [exchange(agent) for _ in range(_EXCHANGES)]
    offset = clock_offset(exchanges)
    lacking = sorted(adapter for adapter, why in about["adapters"].items() if why)
    return HostCheck(
        name=name,
        address=agent.present.address,
        version=about["version"],
        system=f"{about['system']} {about['architecture']}",
        processors=len(about["processors"]),
        clock_ms=offset.ns / 1e6,
        clock_bound_ms=offset.bound_ns / 1e6,
        round_trip_ms=statistics.median(made.round_trip_ns for made in exchanges) / 1e6,
        adapters=len(about["adapters"]) - len(lacking),
        lacking=tuple(lacking),
    )
