"""What was seen of the processors during a load: what the server, the driver and other programs used."""

from dataclasses import dataclass

from callbench.model.process_readings import FullReading
from callbench.store.lines.sides import ProcessorsSeen


@dataclass(frozen=True)
class ServerUsage:
    """What the server used during the load.

    Attributes:
        processor_ms: user and system time of the processes that ran from beginning to end.
        processors: the number of processors that it may use.
        begin: the first reading of its processes.
        end: the last reading.
    """

    processor_ms: int
    processors: int
    begin: FullReading
    end: FullReading


@dataclass(frozen=True)
class Observations:
    """The usage during the calls.

    Attributes:
        server: what the server used; None if its processes are unknown.
        processors: how driver, server and others used the processors, as returned by `ProcessorWatch`.
        unseen: which processes of the server were not visible, in a sentence; "" if all were.
    """

    server: ServerUsage | None
    processors: ProcessorsSeen
    unseen: str = ""
