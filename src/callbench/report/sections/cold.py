"""Cold start: what the first calls took, of a server and a client that had both just been started."""

from callbench.analysis.cells.cold_starts import COLD_SQL, ColdStart
from callbench.analysis.run.subject import Subject
from callbench.catalog.reach import LOOPBACK
from callbench.model.metrics.registry import COLD
from callbench.report.text.section import Section, Sheet
from callbench.stats.estimate.digits import figure

ABOUT = (
    "Every fork starts all stacks in new processes. Before any other call, one client makes the first call that the"
    " study lists for the stack. It makes one call, then up to a thousand, then calls until the first second is over"
    " if a side compiles. Client and server are both cold. The start of the processes is not included. Steady after:"
    " how long the call was driven until it was steady. Values are means over the starts, with the lowest and the"
    " highest."
)
COLUMNS = ("stack", "call", *(metric.heading for metric in COLD.values()))
MOST_ROWS = 100


def section(subject: Subject) -> Section | None:
    """List every stack's first calls."""
    starts = subject.results.cold
    if not starts:
        return None
    judged = max(start.calls_before for start in starts)
    found = [f"The load driver needed {judged} earlier call of some stacks, to learn the right answer."] * bool(judged)
    rows = [(_name(start), start.call, *(_value(start, name) for name in COLD)) for start in starts[:MOST_ROWS]]
    note = f"{len(starts) - MOST_ROWS} more are in the table `cold`." if len(starts) > MOST_ROWS else ""
    return Section("cold", "Cold start", ABOUT, found, [Sheet("First calls", COLUMNS, rows, note)], source=COLD_SQL)


def _name(start: ColdStart) -> str:
    return start.stack if start.link == LOOPBACK else f"{start.stack} over {start.link}"


def _value(start: ColdStart, name: str) -> str:
    """Write a mean with its ends: `65 (61 to 70)`."""
    mean = start.values.get(name)
    if mean is None:
        return ""
    low, high = start.ends[name]
    return figure(mean.middle) + (f" ({figure(low)} to {figure(high)})" if start.starts > 1 else "")
