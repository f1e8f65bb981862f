"""What is read of a side's processes at the begin of a load, at its end and after a rest. The probe fills each.

The journal's type, the columns of the table `processes` and its page follow from this list. A metric is made from those
columns: processes.py.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Reading:
    """One number that the probe reads.

    Attributes:
        name: in the journal.
        column: in the table `processes`, where its name is another.
        about: what it counts, with its unit.
        rises: whether it only ever rises: then what came in the load is kept, else what was there at each moment.
        type: in the journal, for DuckDB.
    """

    name: str
    about: str
    column: str = ""
    rises: bool = False
    type: str = "BIGINT"

    @property
    def columns(self) -> dict[str, str]:
        """The columns it gives the table `processes`, each with how it follows from the moments of a side `s`."""
        own = self.column or self.name
        if self.rises:
            return {own: f's."end".{self.name} - s."begin".{self.name}'}
        return {f"{own}_{moment}": f's."{moment}".{self.name}' for moment in ("begin", "end", "rest")}


READINGS = (
    Reading("processes", "processes alive"),
    Reading("threads", "threads alive"),
    Reading("resident_bytes", "bytes of memory, shared pages counted in each process", "resident"),
    Reading("unique_bytes", "bytes of memory that would come free", "unique"),
    Reading("proportional_bytes", "bytes of memory, shared pages divided", "proportional"),
    Reading("files", "open descriptors"),
    Reading("voluntary", "context switches of the threads alive at the end, to wait", rises=True),
    Reading("involuntary", "context switches of the same, taken from them", rises=True),
    Reading("user_ms", "milliseconds of processor time, in ticks of 10 ms", rises=True),
    Reading("system_ms", "milliseconds likewise, in the kernel", rises=True),
    Reading("minor_faults", "pages that had only to be mapped", rises=True),
    Reading("major_faults", "pages that had to be read", rises=True),
)
