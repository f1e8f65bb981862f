"""How a server fared, slice by slice: its states, how long each lasted, and when it was well again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

# So many slices in a row must be well before it is believed: one can be luck.
IN_A_ROW = 3
# What is slower by less than this is no sign of trouble, however many times slower it is: a machine does that.
LEAST_SLOW_US = 1_000.0
_NOT_LET_IN = frozenset({"refused", "closed", "reset", "cut", "out-of-resources", "certificate", "unresolved"})
_WRONG = frozenset({"wrong-answer", "protocol", "status", "redirect", "fault", "too-large"})


class State(StrEnum):
    """In what state a slice found a server, best first."""

    WELL = "well"
    SLOW = "slow"
    FAILING = "failing"
    WRONG = "wrong"
    REFUSING = "refusing"
    HUNG = "hung"
    DEAD = "dead"


_ORDER = list(State)


class MischiefVerdict(StrEnum):
    """What a server made of a mischief, best first."""

    SURVIVED = "survived"
    DEGRADED = "degraded"
    REFUSED = "refused"
    HUNG = "hung"
    DIED = "died"


_VERDICTS = {
    State.WELL: MischiefVerdict.SURVIVED,
    State.SLOW: MischiefVerdict.DEGRADED,
    State.FAILING: MischiefVerdict.DEGRADED,
    State.WRONG: MischiefVerdict.DEGRADED,
    State.REFUSING: MischiefVerdict.REFUSED,
    State.HUNG: MischiefVerdict.HUNG,
    State.DEAD: MischiefVerdict.DIED,
}


@dataclass(frozen=True)
class Slice:
    """What came of the calls of a short time.

    Attributes:
        start_s: when it began, on one clock for all slices.
        end_s: when it ended.
        calls: answered rightly.
        errors: by kind of the contract.
        latency_us: the value that says how fast it was; None if no call was answered.
        dead: whether a process of the server had ended.
    """

    start_s: float
    end_s: float
    calls: int
    errors: Mapping[str, int]
    latency_us: float | None = None
    dead: bool = False


@dataclass(frozen=True)
class Episode:
    """Slices in one state, one after the other.

    Attributes:
        slices: how many: one of a single slice is timed to that slice's length.
    """

    state: State
    start_s: float
    end_s: float
    slices: int
    errors: Mapping[str, int]


@dataclass(frozen=True)
class Recovery:
    """When it was well again after a moment: at some time from `least_s` to `most_s`, in seconds since that moment.

    The two differ by what the slices can tell: their length, and what lies between them.
    """

    least_s: float
    most_s: float


def slow_above(before_us: float, within: float) -> float:
    """Return the latency above which a slice is slow, in microseconds.

    Args:
        before_us: what it was before.
        within: that many times of that are no trouble.
    """
    return max(within * before_us, before_us + LEAST_SLOW_US)


def state_of(seen: Slice, limit_us: float | None = None) -> State:
    """Describe in what state a slice found the server.

    Args:
        seen: the slice; calls ended in it.
        limit_us: a latency above this is slow; None: none is.
    """
    if seen.dead and not seen.calls:
        return State.DEAD
    if not seen.calls:
        return _without_answers(seen.errors)
    if any(seen.errors.get(kind) for kind in _WRONG):
        return State.WRONG
    if any(seen.errors.values()):
        return State.FAILING
    slow = limit_us is not None and seen.latency_us is not None and seen.latency_us > limit_us
    return State.SLOW if slow else State.WELL


def _without_answers(errors: Mapping[str, int]) -> State:
    """The commonest kind decides; if nothing was even answered wrongly, it hangs."""
    wrong = sum(count for kind, count in errors.items() if kind in _WRONG)
    turned_away = sum(count for kind, count in errors.items() if kind in _NOT_LET_IN)
    late = sum(errors.values()) - wrong - turned_away
    if late >= max(wrong, turned_away):
        return State.HUNG
    return State.WRONG if wrong > turned_away else State.REFUSING


def asked(slices: Sequence[Slice]) -> list[Slice]:
    """Return the slices that say something about the server.

    Each call that begins in a slice ends in it. So where none ended, none began: the machine let no client call.
    """
    return [seen for seen in slices if seen.dead or seen.calls or any(seen.errors.values())]


def worst(slices: Sequence[Slice], limit_us: float | None) -> State:
    """Return the worst state in which they found the server; of none that asked, well."""
    return max((state_of(seen, limit_us) for seen in asked(slices)), key=_ORDER.index, default=State.WELL)


def verdict(slices: Sequence[Slice], limit_us: float | None) -> MischiefVerdict:
    """Describe what those who called meanwhile and afterwards met: the worst of their slices decides."""
    return _VERDICTS[worst(slices, limit_us)]


def episodes(slices: Sequence[Slice], limit_us: float | None = None) -> list[Episode]:
    """Gather slices that follow each other in one state, without those that asked nothing."""
    found: list[Episode] = []
    for seen in asked(slices):
        state = state_of(seen, limit_us)
        if found and found[-1].state is state:
            last = found.pop()
            errors = {
                kind: last.errors.get(kind, 0) + seen.errors.get(kind, 0)
                for kind in dict.fromkeys((*last.errors, *seen.errors))
            }
            found.append(Episode(state, last.start_s, seen.end_s, last.slices + 1, errors))
        else:
            found.append(Episode(state, seen.start_s, seen.end_s, 1, dict(seen.errors)))
    return found


def recovery(
    slices: Sequence[Slice], after_s: float, limit_us: float | None, in_a_row: int = IN_A_ROW
) -> Recovery | None:
    """Compute how long after a moment the server was well again; None if it was not, as far as was seen.

    It was well again where `in_a_row` slices in a row were well. The last slice before them was not well at some time
    within it, and the first of them was well from its start on; so the moment lies between the starts of the two.

    Args:
        slices: in their order, from before or after the moment on.
        after_s: the moment, on their clock.
        limit_us: a latency above this is not well.
        in_a_row: how many slices must be well.
    """
    later = [seen for seen in asked(slices) if seen.start_s >= after_s]
    well = 0
    for place, seen in enumerate(later):
        well = well + 1 if state_of(seen, limit_us) is State.WELL else 0
        if well == in_a_row:
            first = place - in_a_row + 1
            least = later[first - 1].start_s if first else after_s
            return Recovery(least - after_s, later[first].start_s - after_s)
    return None
