"""What limited a cell: a verdict from the values of both sides, as a pure function."""

from dataclasses import dataclass, replace
from enum import StrEnum

from callbench.stats.estimate.digits import percent

# A side that used so much of its processors, or a thread that never stopped, has no more to give.
SATURATED = 0.90
# A side that used less was not what the calls waited for.
IDLE = 0.50
# A side that ran, or waited to run, for less of the time was not what the calls waited for, however busy the machine:
# less than IDLE, since what the kernel does for it, such as handling its packets, may wait as well and is not seen.
SELDOM = 0.20
# Run-queue wait or steal above it: someone else's work is in the value.
DISTURBED = 0.05
# A loop that takes more of its clients' time than that is not a small part of the row.
LOOP = 0.10
# Of a loop that takes more of one client's time than the calls do, a small error would be a greater one of the rest.
MOST_OF_ONE = 0.50
STARVED = 0.20
NEIGHBOURS = 0.10


class Limit(StrEnum):
    """What a cell's rate was limited by."""

    SERIAL = "serial"
    SERVER = "server"
    BACKEND = "backend"
    CLIENT = "client stack"
    GENERATOR = "generator"
    LINK = "link"
    SHARED = "shared processor"
    WAITING = "waiting"
    UNSATURATED = "unsaturated"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Side:
    """What one side did while it was measured; None: it could not be seen.

    Attributes:
        busy: share of its processors' time that it used, 1 for all of them.
        thread: share of the time in which its busiest thread ran.
        waited: of the time in which its threads wanted a processor, the share in which they waited for it.
        neighbours: share of its processors' time that other processes took.
    """

    busy: float | None = None
    thread: float | None = None
    waited: float | None = None
    neighbours: float | None = None

    @property
    def used(self) -> float:
        """The clearer of the two signs of a side that is busy."""
        return max(self.busy or 0.0, self.thread or 0.0)

    @property
    def lost(self) -> float:
        """Share of all the time in which it waited for a processor: little, where it wanted one for little of it.

        With r the time it ran and w the time it waited, `used` is r / t and `waited` w / (r + w), so this is w / t.
        """
        waited = min(self.waited or 0.0, 0.99)
        return self.used * waited / (1.0 - waited)


@dataclass(frozen=True)
class Evidence:
    """All that a verdict rests on, as shares of 1.

    Attributes:
        clients: how many called at once.
        in_process: whether one process played both sides; both are the same then.
        paced: whether the core set the pace, by a schedule or by time to think.
        loop: share of the clients' time that the load loop itself took; None if it does not count it.
        lateness: share of arrivals that the generator was late for by more than it may be; None in a closed loop.
        steal: share of the machine's processor time that its host gave to others.
        together: whether the sides shared processors.
        link: share of the link's rate that was used; None if there is no limit.
        driver: whether the client is the load driver: it is no part of the stack, but of the instrument.
        backend: what stands behind the server, on the server's processors; None if nothing does.
        apart: whether the backend has processors of its own, on another machine.
        loop_taken: whether the rate is without the time of the loop, so that it limits nothing.
        lacked: what hosts of clients lacked, in a sentence that names them; "" if they lacked nothing.
    """

    clients: int
    in_process: bool
    client: Side
    server: Side
    paced: bool = False
    loop: float | None = None
    lateness: float | None = None
    steal: float | None = None
    together: bool = False
    link: float | None = None
    driver: bool = False
    backend: Side | None = None
    apart: bool = False
    loop_taken: bool = False
    lacked: str = ""

    @property
    def behind(self) -> Side:
        """The backend, or a side that did nothing."""
        return self.backend or Side()

    @property
    def far(self) -> float:
        """How far server and backend used up what they have: threads of their own, or the processors they share."""
        both = 0.0 if self.apart else (self.server.busy or 0.0) + (self.behind.busy or 0.0)
        return max(self.server.used, self.behind.used, min(1.0, both))


@dataclass(frozen=True)
class LimitVerdict:
    """What limited a cell, and the values that say so in a sentence."""

    limit: Limit
    why: str

    @property
    def at_least(self) -> bool:
        """Whether the rate is only a lower bound of what the stack can do."""
        return self.limit is Limit.GENERATOR

    def beside_plateau(self, sentence: str) -> "LimitVerdict":
        """Add what a plateau of the latencies says, where calls wait for something that no processor shows."""
        return replace(self, why=f"{self.why}; {sentence}") if self.limit in _PLATEAU_TELLS else self


# Limits of which a plateau is the likely cause.
_PLATEAU_TELLS = (Limit.SERIAL, Limit.WAITING, Limit.UNKNOWN)


def verdict_of(evidence: Evidence) -> LimitVerdict:
    """Name what limited a cell.

    A full link carries no more, even if a side waited for a processor meanwhile. The client library belongs to the
    stack; of the rest only the generator can disturb a row, so it is looked at next. One client in a closed loop, or a
    call within a process, is serial: it is ranked by latency whatever was busy. For the others whatever was used up is
    the limit (the "utilisation" of Gregg's USE method, "Thinking methodically about performance", CACM 56(2), 2013),
    unless others used it.
    """
    serial = evidence.in_process or (evidence.clients == 1 and not evidence.paced)
    if not serial and evidence.link is not None and evidence.link >= SATURATED:
        return LimitVerdict(Limit.LINK, f"{percent(evidence.link)} of the link's rate was used; {_shares(evidence)}")
    generator = _generator(evidence)
    if generator:
        return LimitVerdict(Limit.GENERATOR, generator)
    if serial:
        why = "one program is client and server" if evidence.in_process else "one client, which waits for each answer"
        return LimitVerdict(Limit.SERIAL, f"{why}; {_shares(evidence)}")
    return _used_up(evidence)


@dataclass(frozen=True)
class Shortage:
    """What a host of clients lacked.

    Attributes:
        host: its name.
        lacked: what, with a place for the share.
        share: of its time, or of its arrivals.
    """

    host: str
    lacked: str
    share: float

    def __str__(self) -> str:
        """Write a sentence without its end."""
        return f"host {self.host} was starved: {self.lacked.format(percent(self.share))}"


def shortage(host: str, host_busy: float, late: float, driver_busy: float = 0.0) -> Shortage | None:
    """Return what a host of clients lacked; None if it lacked nothing.

    Args:
        host: its name.
        host_busy: the share of the time in which its processors were busy.
        late: the share of arrivals that it was late for.
        driver_busy: the share of the time in which the load driver's threads were; 0 if a stack's own clients call,
            which belong to the stack.
    """
    if driver_busy >= SATURATED:
        return Shortage(host, "its driver was {} busy; name more hosts, or give --threads", driver_busy)
    if late > DISTURBED:
        return Shortage(host, "it was late for {} of its arrivals", late)
    if host_busy >= SATURATED:
        return Shortage(host, "its processors were {} busy; end other programs there", host_busy)
    return None


def starved(evidence: Evidence) -> bool:
    """Return whether others took the generator's processors, so that it was no limit of its own doing."""
    waited, others = evidence.client.lost, evidence.client.neighbours or 0.0
    return waited > STARVED and others > NEIGHBOURS and waited > 2 * evidence.server.lost


def _generator(evidence: Evidence) -> str:
    if evidence.lacked:
        return evidence.lacked
    waited, others = evidence.client.lost, evidence.client.neighbours or 0.0
    if starved(evidence):
        return (
            f"the generator lacked processor time: {_waiting('it', waited)} for a processor, and other programs took"
            f" {percent(others)} of it"
        )
    if evidence.lateness is not None and evidence.lateness > DISTURBED:
        return f"the generator was late for {percent(evidence.lateness)} of the arrivals"
    # The driver's clients share its threads: what passes while these are idle is no work of the loop's. Where calls are
    # long it is mostly clients that are done and wait for the others' last answers.
    worked = not evidence.driver or evidence.client.used >= IDLE
    counts = worked and not evidence.paced and not evidence.loop_taken
    if evidence.loop is not None and evidence.loop > LOOP and counts:
        return f"the load loop itself took {percent(evidence.loop)} of the clients' time"
    return ""


def _shared(evidence: Evidence) -> str:
    if evidence.steal is not None and evidence.steal > DISTURBED:
        return f"the host gave {percent(evidence.steal)} of the processor time to others"
    sides = [("server", evidence.server), ("client", evidence.client)]
    sides += [("backend", evidence.backend)] if evidence.backend else []
    for name, side in sides:
        waited, others = side.lost, side.neighbours or 0.0
        if waited <= DISTURBED:
            continue
        if others > NEIGHBOURS:
            took = f"other programs took {percent(others)} of the {name}'s processors"
            return f"{took}, and {_waiting('it', waited)} for one"
        if evidence.together:
            return f"client and server share processors, and {_waiting(name, waited)} for one"
        # Server and backend wait for each other where together they use their processors up: no stranger is in it.
        if (side.used if name == "client" else evidence.far) < SATURATED:
            turns = evidence.backend is not None and name != "client" and not evidence.apart
            why = "server and backend run on the same processors, and " if turns else ""
            return f"{why}{_waiting(name, waited)} for a processor, though it was not used up"
    return ""


def _waiting(name: str, waited: float) -> str:
    """Describe how long a side waited; the time of several threads adds up, to how many of them waited at any time."""
    who = name if name == "it" else f"the {name}"
    if waited <= 1:
        return f"{who} waited {percent(waited)} of the time"
    return f"{who} had {waited:.0f} thread{'s' if round(waited) != 1 else ''} waiting at any time"


def _used_up(evidence: Evidence) -> LimitVerdict:
    """Judge a cell of several clients, or of a pace."""
    client, server = evidence.client, evidence.server
    shared = "" if _waits_elsewhere(evidence) else _shared(evidence)
    if shared:
        return LimitVerdict(Limit.SHARED, f"{shared}; {_shares(evidence)}")
    if client.busy is None or server.busy is None:
        return LimitVerdict(Limit.UNKNOWN, "the processor time of a side is unknown")
    if max(client.used, evidence.far) >= SATURATED:
        if client.used > evidence.far:
            return LimitVerdict(Limit.GENERATOR if evidence.driver else Limit.CLIENT, _shares(evidence))
        return _far(evidence)
    return _unsaturated(evidence)


def _far(evidence: Evidence) -> LimitVerdict:
    """Judge a server that is used up, or what stands behind it: whichever does more of the work."""
    server, behind = evidence.server, evidence.behind
    limit = Limit.BACKEND if behind.used > server.used else Limit.SERVER
    if max(server.used, behind.used) >= SATURATED:
        return LimitVerdict(limit, _shares(evidence))
    return LimitVerdict(limit, f"server and backend together used up their shared processors; {_shares(evidence)}")


def _waits_elsewhere(evidence: Evidence) -> bool:
    """Return whether both sides seldom ran or wanted to: what calls waited for is something else.

    A call that sleeps for 40 ms is not limited by the half of a millisecond in which its server waited for a processor.
    """
    client, server = evidence.client, evidence.server
    if evidence.paced or client.busy is None or server.busy is None:
        return False
    return max(client.used + client.lost, evidence.far + server.lost + evidence.behind.lost) < SELDOM


def _unsaturated(evidence: Evidence) -> LimitVerdict:
    crowded = _crowded(evidence)
    if crowded:
        return LimitVerdict(Limit.SHARED, f"{crowded}; {_shares(evidence)}")
    busiest = max(evidence.client.used, evidence.far)
    if busiest < IDLE and not evidence.paced:
        return LimitVerdict(
            Limit.WAITING,
            f"{'no' if evidence.backend else 'neither'} side was busy, and calls waited for a sleep, a timer, a lock or"
            f" the network; {_shares(evidence)}",
        )
    others = max(side.neighbours or 0.0 for side in (evidence.client, evidence.server, evidence.behind))
    beside = f" except the {percent(others)} of the processors that other programs took" if others > NEIGHBOURS else ""
    why = f"nothing was used up{beside}, and more clients may give a higher rate"
    return LimitVerdict(Limit.UNSATURATED, f"{why}; {_shares(evidence)}")


def _crowded(evidence: Evidence) -> str:
    """Name whose processors were used up by others and the sides together, though no side did it alone."""
    sides = (("server", evidence.server), ("client", evidence.client))
    for name, side in sides:
        # Where they run on the same processors, what the one has is taken from the other.
        with_it = (evidence.client, evidence.server, evidence.behind) if evidence.together else (side,)
        own, others = sum(companion.busy or 0.0 for companion in with_it), side.neighbours or 0.0
        # A side that used little, and did not wait for more, had as much as it wanted.
        if own > IDLE / 2 and others > NEIGHBOURS and own + others >= SATURATED:
            return f"other programs took {percent(others)} of the {name}'s processors, and the sides the rest"
    return ""


def _shares(evidence: Evidence) -> str:
    """Write the values that a verdict rests on."""
    named = [("both sides", evidence.client)] if evidence.in_process else []
    named = named or [("client", evidence.client), ("server", evidence.server)]
    named += [("backend", evidence.backend)] if evidence.backend else []
    parts = [f"{name} {_percent(side.busy)} busy" for name, side in named]
    # Of all the time, as in the sentences before: of what it wanted, it may have waited for much more.
    waits = [(name, side.lost) for name, side in named if side.lost > 0.01]
    parts += [f"{_waiting(name, lost).removeprefix('the ')} for a processor" for name, lost in waits]
    if evidence.steal is not None and evidence.steal > 0.01:
        parts.append(f"{percent(evidence.steal)} stolen")
    return ", ".join(parts)


def _percent(share: float | None) -> str:
    return "an unknown share" if share is None else f"{percent(share)}"
