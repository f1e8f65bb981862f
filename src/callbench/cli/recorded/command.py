"""Work on a record that can be stopped and continued: its folder, its progress display, and the sentence at a stop."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from callbench.adapter.placement import Placement
from callbench.cli import resuming
from callbench.runner.stability import record
from callbench.runner.stability.live import SliceProgress
from callbench.runner.stopping import marking_the_end
from callbench.store.record_writer import RecordWriter


@contextmanager
def resumable(  # noqa: PLR0913 - what is asked, and where
    kind: str,
    name: str,
    document: Mapping[str, Any],
    out: Path | None,
    where: Placement,
    *,
    resume: bool,
    quiet: bool,
    partly: bool = False,
) -> Iterator[tuple[RecordWriter, SliceProgress]]:
    """Create or continue a record, show the progress, and mark the record's end.

    Args:
        kind: of the record.
        name: what its folder is called after, beside the kind.
        document: the options, which have to be the same if it is continued.
        out: the folder; None: one under `runs`.
        where: the processors.
        resume: whether to continue.
        quiet: whether to show no progress.
        partly: whether a part of the work is a result already.

    Raises:
        BadInput: the folder is another's.
        CallbenchError: the folder cannot be written; the user stopped the work.
    """
    with (
        record.create_or_resume(kind, name, document, out, where, resume=resume) as run,
        SliceProgress(quiet=quiet) as line,
    ):
        shown = f" `callbench show {run.path}` prints it," if partly else ""
        what = "found" if partly else "seen"
        end = f"{shown} `{resuming.command(run.path)}` goes on with it"
        with marking_the_end(run, f"what was {what} is kept in {run.path}:{end}"):
            yield run, line
