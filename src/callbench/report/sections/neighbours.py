"""What the machine did meanwhile: the canary as drift meter, and the trials that a neighbour spoiled."""

from callbench.analysis.naming import by_id, place
from callbench.analysis.subject import Subject
from callbench.analysis.validity import CANARIES_SQL, SPOILED_SQL
from callbench.report.text.section import Section, Sheet
from callbench.stats.digits import figure, percent

ABOUT = (
    "A raw TCP echo is driven beside the cells in every round. It sends 16 bytes each way, on the processors of the"
    " sides. No stack takes part, so only the machine can change its rate. Ratios are computed within forks, not"
    " divided by the echo. During every trial, the host monitor notes when a side's processors were not available. The"
    " kernel's counters show the time used by other programs. A spoiled trial counts and is listed. Older runs drove"
    " the echo at the start, in the middle and at the end of a fork, and repeated a spoiled trial once."
)
MOST_ROWS = 40


def section(subject: Subject) -> Section | None:
    """Show the canary's songs and the spoiled trials."""
    beliefs = subject.results.beliefs
    if not beliefs.canaries and not beliefs.spoiled:
        return None
    found = []
    if beliefs.drift is not None:
        found.append(
            f"The fastest and the slowest echo differ by {percent(beliefs.drift)}. Smaller differences between cells"
            " of different forks mean nothing."
        )
    cells = by_id(subject.results.cells)
    sheets = []
    if beliefs.canaries:
        songs = [
            (f"fork {one.block}, {one.place}", figure(one.rate), figure(one.p50_us), figure(one.p99_us))
            for one in beliefs.canaries
        ]
        sheets.append(Sheet("Echo", ("when", "echoes/s", "median µs", "p99 µs"), songs[:MOST_ROWS]))
    if beliefs.spoiled:
        rows = [
            (
                cells[one.cell].attributes["stack"],
                f"{place(cells[one.cell])}, fork {one.block}",
                "counted instead of a spoiled trial" if one.repeated else "counted" if one.counted else "not counted",
                figure(one.rate) if one.rate else "",
                one.why or "not spoiled",
            )
            for one in beliefs.spoiled[:MOST_ROWS]
        ]
        note = (
            f"{len(beliefs.spoiled) - MOST_ROWS} more are in the table `spoiled`."
            if len(beliefs.spoiled) > MOST_ROWS
            else ""
        )
        sheets.append(Sheet("Spoiled trials", ("stack", "trial", "", "calls/s", "why"), rows, note))
    return Section("neighbours", "Machine state", ABOUT, found, sheets, source=f"{CANARIES_SQL};\n{SPOILED_SQL}")
