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


def arrivals_of(gaps: "arrivals.Gaps", whole: int, parts: int) -> list["arrivals.Gaps"]:
    """Deal the arrivals of a schedule out in turn. Together they are the schedule, to the nanosecond.

    Args:
        gaps: of the whole schedule, in nanoseconds; a circle.
        whole: how many arrivals it is to have.
        parts: how many generators share them.

    Returns:
        The gaps of each generator. Each has one arrival beyond the whole, so that none begins its circle again within.
    """
    due = arrivals.due_ns(gaps, (whole // parts + 2) * parts)
    return [np.diff(due[part::parts], prepend=0).astype(np.uint64) for part in range(parts)]


def schedules_of(schedule: Path, calls: int, seconds: float, parts: int) -> list[Path]:
    """Write the schedule of each generator beside the whole one, once.

    Args:
        schedule: the file of the whole one.
        calls: the least number of arrivals.
        seconds: the least duration.
        parts: how many generators share it.

    Raises:
        BadInput: a generator would have more arrivals than a schedule can have.
        CallbenchError: a file cannot be written.
    """
    gaps = np.frombuffer(schedule.read_bytes(), dtype="<u8")
    circle_s = int(gaps.sum()) / 1e9
    whole = max(calls, int(np.ceil(seconds / circle_s * len(gaps))) if circle_s else len(gaps))
    if whole // parts + 2 > MOST_GAPS:
        raise BadInput(
            f"a host makes at most {MOST_GAPS:,} arrivals of an open loop, and {whole:,} of {parts} hosts are asked"
            " for: give fewer --seconds, or more hosts"
        )
    files = [schedule.with_name(f"{schedule.stem}-{whole}-{part}of{parts}.gaps") for part in range(parts)]
    if not all(file.exists() for file in files):
        try:
            for file, own in zip(files, arrivals_of(gaps, whole, parts), strict=True):
                file.write_bytes(own.astype("<u8").tobytes())
        except OSError as failure:
            raise machine_limits.written(f"cannot write the schedules beside {schedule}", failure) from failure
    return files
