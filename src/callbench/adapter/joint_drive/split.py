"""What each of several generators does of one load: its clients, its calls, its arrivals."""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from pathlib import Path

import numpy as np

from callbench.model import machine_limits
from callbench.model.errors import BadInput
from callbench.stats.load import arrivals

# A schedule of the contract has so many gaps at most.
MOST_GAPS = 2**20


def shares(whole: int, parts: int) -> list[int]:
    """Share a number out as evenly as possible; the first parts have one more.

    Args:
        whole: 0 or more.
        parts: 1 or more.
    """
    least, more = divmod(whole, parts)
    return [least + (part < more) for part in range(parts)]


def calls_of(whole: int, clients: Sequence[int]) -> list[int]:
    """Share the calls of a closed loop out by clients, at least one each: so all end at about the same time.

    With as many for each host, clients of the host that has fewer of them would go on alone, and faster.

    Args:
        whole: how many calls.
        clients: of each host, 1 or more.
    """
    until = [round(whole * so_far / sum(clients)) for so_far in accumulate(clients, initial=0)]
    return [max(1, end - begin) for begin, end in pairwise(until)]


def owners(count: int, clients: Sequence[int]) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    """Deal arrivals out to clients in turn, as every client is on a host of its turn. Return the host of each.

    By hosts, one with a client of three would have half of the calls.

    Args:
        count: how many arrivals.
        clients: of each host, as `shares` has them, 1 or more.
    """
    return np.arange(count) % sum(clients) % len(clients)


def taken(gaps: "arrivals.Gaps", calls: int, seconds: float) -> int:
    """Return how many arrivals of a schedule one generator takes: so many, and all that are due within the seconds."""
    due = np.cumsum(gaps.astype(np.int64))
    circles, rest = divmod(round(1e9 * seconds) - 1, max(1, int(due[-1])))
    return max(calls, circles * len(gaps) + int(np.searchsorted(due, rest, side="right")))


def arrivals_of(gaps: "arrivals.Gaps", whole: int, clients: Sequence[int]) -> list["arrivals.Gaps"]:
    """Deal the arrivals of a schedule out. Together they are the schedule, to the nanosecond.

    Args:
        gaps: of the whole schedule, in nanoseconds; a circle.
        whole: how many arrivals it is to have.
        clients: of each host that shares them.

    Returns:
        The gaps of each host. Each has an arrival beyond the whole, so that none begins its circle again within.
    """
    due = arrivals.due_ns(gaps, whole + sum(clients))
    host = owners(len(due), clients)
    return [np.diff(due[host == place], prepend=0).astype(np.uint64) for place in range(len(clients))]


def schedules_of(schedule: Path, calls: int, seconds: float, clients: Sequence[int]) -> list[tuple[int, Path]]:
    """Write the schedule of each host beside the whole one, once.

    Args:
        schedule: the file of the whole one.
        calls: the least number of arrivals.
        seconds: the least duration.
        clients: of each host that shares it.

    Returns:
        The least number of arrivals and the file of each host: of the first hosts, if there are fewer arrivals.

    Raises:
        BadInput: a host would have more arrivals than a schedule can have.
        CallbenchError: a file cannot be written.
    """
    gaps = np.frombuffer(schedule.read_bytes(), dtype="<u8")
    whole, hosts = taken(gaps, calls, seconds), len(clients)
    if (whole // sum(clients) + 2) * max(clients) > MOST_GAPS:
        raise BadInput(
            f"a host makes at most {MOST_GAPS:,} arrivals of an open loop, and {whole:,} of {hosts} hosts are asked"
            " for: give fewer --seconds, or more hosts"
        )
    name = f"{schedule.stem}-{whole}-{sum(clients)}"
    files = [schedule.with_name(f"{name}-{place}of{hosts}.gaps") for place in range(min(hosts, whole))]
    if not all(file.exists() for file in files):
        try:
            for file, own in zip(files, arrivals_of(gaps, whole, clients), strict=False):
                file.write_bytes(own.astype("<u8").tobytes())
        except OSError as failure:
            raise machine_limits.written(f"cannot write the schedules beside {schedule}", failure) from failure
    least = np.bincount(owners(calls, clients), minlength=hosts)
    return [(max(1, int(own)), file) for own, file in zip(least, files, strict=False)]
