"""The reports that the page shows: `callbench report` makes each, and it is kept until its record changes."""

import os
import stat
import threading
from collections.abc import Callable, Sequence
from html import unescape
from pathlib import Path

from callbench.model.errors import CallbenchError
from callbench.store.record import Record
from callbench.web.program import said

# The title stands before it.
_HEAD_BYTES = 1 << 18
# A report and the page of all cells are kept as long as the server lives; of other pages the newest.
_LASTING: tuple[tuple[str, ...], ...] = ((), ("--cells",))
_MOST_CHOSEN = 20


class Reports:
    """The reports of records, kept in a folder that goes with the server."""

    def __init__(self, kept: Path) -> None:
        """Keep reports in a folder."""
        self._kept = kept
        # One after the other: a report takes a processor, and ten viewers of one record need it once.
        self._one = threading.Lock()
        self._made: dict[tuple[Path | str, ...], tuple[object, Path]] = {}
        self._verdicts: dict[Path, tuple[object, str]] = {}
        self._count = 0

    def written(self, record: Path, options: Sequence[str] = ()) -> bytes:
        """Return the report of a record as it is now, or what it says of a run's cells.

        Args:
            record: its folder.
            options: of `callbench report`, for cells.

        Raises:
            BadInput: it cannot be made; the sentence is the command's.
            MachineFailure: it took too long.
        """
        state = state_of(record)
        words = ["report", str(record), *options, "--out"]
        content = self.page((record, *options), state, lambda file: said([*words, str(file)]))
        if not options:
            self._verdicts[record] = state, title_of(content)
        return content

    def page(self, key: tuple[Path | str, ...], state: object, make: Callable[[Path], object]) -> bytes:
        """Return a page as it is now. It is made anew when what it rests on has changed.

        Args:
            key: the record, and what is asked of it.
            state: what the page rests on.
            make: writes it to a file.

        Raises:
            BadInput, MachineFailure: as `make`.
        """
        with self._one:
            known = self._made.pop(key, None)
            if known is None or known[0] != state:
                if known is not None:
                    known[1].unlink(missing_ok=True)
                self._count += 1
                file = self._kept / str(self._count)
                make(file)
                known = state, file
            # The newest stand last. Of cells that were chosen, and of costs, there are any number of pages.
            self._made[key] = known
            chosen = [each for each in self._made if each[1:] not in _LASTING]
            for each in chosen[:-_MOST_CHOSEN]:
                self._made.pop(each)[1].unlink(missing_ok=True)
            return known[1].read_bytes()

    def verdict(self, record: Path) -> str:
        """Return the title of a report that was made already and is still true; "" if there is none.

        It was made here, or by the command that left the record, which writes it last.
        """
        state = state_of(record)
        known = self._verdicts.get(record)
        if known is None or known[0] != state:
            known = state, _title_on_disk(record, max((changed for _, _, changed, _ in state), default=0))
            if known[1]:
                self._verdicts[record] = known
        return known[1]


def beside(name: str) -> list[str]:
    """Return the option of `callbench report` for tables beside the echo or a stack; none for ""."""
    return [f"--beside={name}"] if name else []


def stacks_of(record: Path) -> list[str]:
    """Return the stacks of a run; none of another record, or of one whose plan is damaged."""
    try:
        return [str(stack["id"]) for stack in Record(record).plan()["stacks"]]
    except (CallbenchError, KeyError, TypeError):
        return []


def state_of(record: Path) -> tuple[tuple[str, int, int, int], ...]:
    """Return what tells a record from what it was: the times and sizes of what its report is made from."""
    found = []
    for name in ("record.json", "journal.jsonl", "environment.json", "study.toml", "plan.json"):
        try:
            seen = (record / name).stat()
        except OSError:
            continue
        found.append((name, seen.st_ino, seen.st_mtime_ns, seen.st_size))
    return tuple(found)


def _title_on_disk(record: Path, changed_ns: int) -> str:
    """The title of the page in a record; "" if there is none, or the record has changed since it was made."""
    page = record / "report.html"
    try:
        descriptor = os.open(page, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return ""
    with os.fdopen(descriptor, "rb") as file:
        made = os.fstat(descriptor)
        if not stat.S_ISREG(made.st_mode) or made.st_mtime_ns < changed_ns:
            return ""
        head, end, _ = file.read(_HEAD_BYTES).partition(b"</title>")
    return title_of(head + end) if end else ""


def title_of(page: bytes) -> str:
    """Return the title of a report; "" if it has none."""
    head = page.decode(errors="replace").partition("</head>")[0]
    return " ".join(unescape(head.partition("<title>")[2].partition("</title>")[0]).split())
