"""Whether the clock of a host lets anybody read what is recorded there."""

import time
from collections.abc import Mapping
from typing import Protocol

from callbench.adapter.network.remote.host_failure import HostFailure
from callbench.stats.estimate.clock_offset import ClockExchange, ClockOffset

# Records have times of their hosts; a clock that is wrong by more makes them unreadable.
MOST_OFF_S = 10.0


class ClockHost(Protocol):
    """An agent, as far as its clock goes."""

    def ask(self, do: str, members: Mapping[str, object], /) -> dict[str, int]:
        """Order something. Return its answer."""


def exchange(agent: ClockHost) -> ClockExchange:
    """Ask for the time of day there.

    Raises:
        ConnectionError: the host does not answer.
    """
    sent = time.time_ns()
    there = agent.ask("clock", {})
    return ClockExchange(sent, there["received_ns"], there["answered_ns"], time.time_ns())


def refuse_wrong_clock(name: str, offset: ClockOffset) -> None:
    """Refuse a host whose clock is off for certain.

    Raises:
        HostFailure: it is.
    """
    off_s = (abs(offset.ns) - offset.bound_ns) / 1e9
    if off_s > MOST_OFF_S:
        way = "ahead of" if offset.ns > 0 else "behind"
        raise HostFailure(
            f"the clock of host {name} is {off_s:,.0f} s {way} this one: set both, for instance with chrony"
        )
