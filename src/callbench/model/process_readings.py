"""What was read of a side's processes at one moment: sums, with fields as in proc(5)."""

from collections.abc import Iterable
from dataclasses import asdict, astuple, dataclass
from typing import Any, Self


@dataclass(frozen=True)
class LightReading:
    """Values that cost one short read per process.

    Attributes:
        processes: living processes.
        threads: threads of all processes.
        resident_bytes: resident memory; shared pages count in each process. The kernel's quick count is wrong by some
            pages.
        user_ms: user time, including ended children; the kernel's tick is 10 ms.
        system_ms: system time, including ended children.
        minor_faults: page faults without a read, including ended children.
        major_faults: page faults with a read, including ended children.
    """

    processes: int = 0
    threads: int = 0
    resident_bytes: int = 0
    user_ms: int = 0
    system_ms: int = 0
    minor_faults: int = 0
    major_faults: int = 0

    def with_others(self, others: Iterable[Self]) -> Self:
        """Add the readings of other machines. A value that one of them does not have is unknown."""
        columns = zip(*map(astuple, (self, *others)), strict=True)
        sums: list[Any] = [None if None in column else sum(column) for column in columns]
        return type(self)(*sums)


@dataclass(frozen=True)
class FullReading(LightReading):
    """Values that also need pages, threads and file descriptors; None if the kernel does not report them.

    Attributes:
        unique_bytes: memory that would become free if the side ended (USS).
        proportional_bytes: each shared page divided by the number of its users (PSS).
        files: open file descriptors.
        voluntary: voluntary context switches of living threads.
        involuntary: involuntary context switches of living threads.
    """

    unique_bytes: int | None = None
    proportional_bytes: int | None = None
    files: int | None = None
    voluntary: int | None = None
    involuntary: int | None = None

    def record(self) -> dict[str, object]:
        """Return the reading as a journal record."""
        return asdict(self)
