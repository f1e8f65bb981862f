"""What the machine did meanwhile: the echo as drift meter, and the trials that a neighbour disturbed."""

from callbench.analysis.cells.table_rows import DISTURBED_SQL, ECHOES_SQL
from callbench.analysis.run.subject import Subject
from callbench.analysis.wording.naming import by_id, conditions_of
from callbench.report.text.section import Section, Sheet
from callbench.stats.estimate.digits import figure, percent

ABOUT = (
    "A raw TCP echo is driven beside the cells in every round. It sends 16 bytes each way, on the processors of the"
    " sides. No stack takes part, so only the machine can change its rate. Ratios are computed within forks, not"
    " divided by the echo. During every trial, the host monitor notes when a side's processors were not available. The"
    " kernel's counters show the time used by other programs. A disturbed trial counts and is listed. Older runs drove"
    " the echo at the start, in the middle and at the end of a fork, and repeated a disturbed trial once."
)
MOST_ROWS = 40


def section(subject: Subject) -> Section | None:
    """Show the echo's echo and the disturbed trials."""
    validity = subject.results.validity
    if not validity.echoes and not validity.disturbed:
        return None
    found = []
    if validity.drift is not None:
        found.append(
            f"The fastest and the slowest echo differ by {percent(validity.drift)}. Smaller differences between cells"
            " of different forks mean nothing."
        )
    cells = by_id(subject.results.cells)
    sheets = []
    if validity.echoes:
        songs = [
            (f"fork {echo.fork}, {echo.place}", figure(echo.rate), figure(echo.p50_us), figure(echo.p99_us))
            for echo in validity.echoes
        ]
        sheets.append(Sheet("Echo", ("when", "echoes/s", "median µs", "p99 µs"), songs[:MOST_ROWS]))
    if validity.disturbed:
        rows = [
            (
                cells[trial.cell].attributes["stack"],
                f"{conditions_of(cells[trial.cell])}, fork {trial.fork}",
                "instead of a disturbed trial" if trial.repeated else "yes" if trial.counted else "no",
                figure(trial.rate) if trial.rate else "",
                trial.why or "not disturbed",
            )
            for trial in validity.disturbed[:MOST_ROWS]
        ]
        note = (
            f"{len(validity.disturbed) - MOST_ROWS} more are in the table `disturbed`."
            if len(validity.disturbed) > MOST_ROWS
            else ""
        )
        sheets.append(Sheet("Disturbed trials", ("stack", "trial", "counts", "calls/s", "why"), rows, note))
    return Section("neighbours", "Machine state", ABOUT, found, sheets, source=f"{ECHOES_SQL};\n{DISTURBED_SQL}")
