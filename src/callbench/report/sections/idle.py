"""What of a call is a processor waking up, cell by cell, where a run was made in both conditions of the idle states."""

from collections.abc import Sequence

from callbench.analysis.cells.read_results import CELLS_SQL
from callbench.analysis.run.subject import Subject
from callbench.analysis.run.tables import table_cell
from callbench.analysis.wording.naming import named
from callbench.analysis.wording.words import ratio_text
from callbench.report.text.section import Section, Sheet
from callbench.report.text.wake_ups import WakeUp, wake_ups
from callbench.stats.estimate.digits import percent

ABOUT = (
    "A processor without work enters an idle state and needs time to wake up for the next call. Some forks used the"
    " machine's own idle states. The others ran without deep idle states (/dev/cpu_dma_latency, for the whole"
    " machine). A quiet server sleeps between its calls, a busy one does not, so read the condition of your own case."
    " Waking is the share of a call that is saved without deep idle states. In slices, a processor sleeps less deeply"
    " than in seconds of the same call. With the machine's idle states, a long load can therefore be slower by a"
    " sixth."
)
COLUMNS = ("stack and call", "machine's idle states, µs", "deep idle states off, µs", "ratio", "waking")
MOST_ROWS = 60


def section(subject: Subject) -> Section | None:
    """Show both conditions side by side, what wakes most first."""
    slept = wake_ups(subject.by_condition)
    if not slept:
        return None
    slept = sorted(slept, key=lambda wake_up: -wake_up.share)
    shares = sorted(wake_up.share for wake_up in slept)
    middle = percent(shares[len(shares) // 2])
    sentences = [f"Half of {len(slept)} cells spend at least {middle} of a call on waking a processor."]
    note = f"The other {len(slept) - MOST_ROWS} are in `callbench show RUN --json`." if len(slept) > MOST_ROWS else ""
    sheet = Sheet("Both conditions", COLUMNS, _rows(slept[:MOST_ROWS]), note)
    return Section("idle", "Idle states", ABOUT, sentences, [sheet], source=CELLS_SQL.replace("cells", "every_cell"))


def _rows(slept: Sequence[WakeUp]) -> list[tuple[str, ...]]:
    return [
        (
            named(wake_up.cell),
            table_cell(wake_up.as_is_cell, "mean_us").text,
            table_cell(wake_up.cell, "mean_us").text,
            ratio_text(wake_up.times) if wake_up.times is not None else "",
            percent(wake_up.share),
        )
        for wake_up in slept
    ]
