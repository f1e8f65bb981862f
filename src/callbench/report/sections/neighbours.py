"""What the machine did meanwhile: the canary as drift meter, and the trials that a neighbour spoiled."""

from callbench.analysis.naming import by_id, place
from callbench.analysis.subject import Subject
from callbench.analysis.validity import CANARIES_SQL, SPOILED_SQL
from callbench.report.text.section import Section, Sheet
from callbench.stats.digits import figure, percent

ABOUT = (
    "At the start, in the middle and at the end of each block a canary sings: 16 bytes to and fro over a raw TCP"
    " connection, pinned as the sides are. No stack is in it, so what moves it is the machine. Nothing is divided by"
    " it: comparisons are taken within forks. Beside every trial a gap detector notes when a side's processors were"
    " not run, and the kernel's counters say what others took. A trial that is spoiled so is made once more; the"
    " figures then use the second, and the journal keeps both."
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
            f"The canary's fastest and slowest rates lie {percent(beliefs.drift)} apart. Differences between cells of"
            " different forks that are smaller than this say nothing."
        )
    cells = by_id(subject.results.cells)
    sheets = []
    if beliefs.canaries:
        songs = [
            (f"block {one.block}, {one.place}", figure(one.rate), figure(one.p50_us), figure(one.p99_us))
            for one in beliefs.canaries
        ]
        sheets.append(Sheet("Canary", ("when", "echoes/s", "median µs", "p99 µs"), songs[:MOST_ROWS]))
    if beliefs.spoiled:
        rows = [
            (
                cells[one.cell].attributes["stack"],
                f"{place(cells[one.cell])}, block {one.block}",
                "in the place of a spoiled one" if one.repeated else "counted" if one.counted else "kept aside",
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
    return Section(
        "neighbours", "The machine meanwhile", ABOUT, found, sheets, source=f"{CANARIES_SQL};\n{SPOILED_SQL}"
    )
