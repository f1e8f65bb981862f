"""What a report shows besides tables, claims and charts of rates: one file a section, each a function of the subject.

A section is drawn the same way in every format: it says what it shows, and brings plain sheets and charts.
"""

from collections.abc import Callable, Sequence

from callbench.analysis.run.subject import Subject
from callbench.report.sections import (
    along,
    call_overhead,
    cold,
    cost,
    delay,
    fairness,
    hosts,
    idle,
    knee,
    neighbours,
    open_loop,
    precision,
    processes,
    ranking,
    steadiness,
    steps,
    verdicts,
    winners,
    wire_ledger,
)
from callbench.report.studies.gateway import stages, summaries
from callbench.report.studies.thesis import conclusion, encodings, ladders, overhead, ranks
from callbench.report.text.section import Section

# In the order in which the page shows them. A section with nothing to show gives None.
SECTIONS: Sequence[Callable[[Subject], Section | None]] = (
    conclusion.section,
    summaries.section,
    stages.section,
    ladders.section,
    ranks.section,
    along.section,
    delay.section,
    ranking.section,
    idle.section,
    precision.section,
    verdicts.section,
    open_loop.section,
    steps.section,
    knee.section,
    call_overhead.section,
    cost.section,
    processes.section,
    wire_ledger.section,
    winners.section,
    overhead.section,
    encodings.section,
    cold.section,
    steadiness.section,
    hosts.section,
    neighbours.section,
    fairness.section,
)


def sections(subject: Subject) -> list[Section]:
    """Makes every section that has something to show."""
    return [section for make in SECTIONS if (section := make(subject)) is not None]
