"""What a run would measure, or what it found so far: printed, and written as its page."""

import sys

from callbench.analysis.run.subject import subject
from callbench.cli.outcome.kept_result import told_in_any_case
from callbench.cli.outcome.output import console, print_json
from callbench.report.ending import print_ending, show_command
from callbench.report.export.formats import write
from callbench.report.export.show import cell_records
from callbench.report.text.run_opening import run_opening
from callbench.report.text.summary import summary
from callbench.runner.plan.preview import Preview
from callbench.store.record import Record


def show_preview(preview: Preview, *, as_json: bool) -> None:
    """Prints what would be measured."""
    if as_json:
        print_json(preview.record())
    else:
        print("\n".join(preview.lines()))  # noqa: T201


def show(run: Record, *, as_json: bool) -> None:
    """Prints what a run found so far and writes its page; nothing if nothing was measured."""
    measured = subject(run)
    if not any(cell.calls for cell in measured.results.cells) and run.info["state"] != "finished":
        return
    with told_in_any_case(run.path):
        page = write(measured, "html")
    if as_json:
        print_json(cell_records(measured))
        print(f"page: {page}\nrun:  {run.path}", file=sys.stderr)  # noqa: T201
    else:
        kept = {"page": page, "run": run.path}
        print_ending(run_opening(measured, summary(measured)), kept, console(), show_command(run.path))
