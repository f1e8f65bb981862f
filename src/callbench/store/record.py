"""A record on disk, for reading: its head, its journal, its tables. docs/reference/run-folder.md describes it."""

import copy
import fcntl
import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, cast

import duckdb

from callbench.model import machine_limits
from callbench.model.card import PlanRecord
from callbench.model.cell import AS_IS
from callbench.model.errors import BadInput, MachineFailure
from callbench.model.version import VERSION
from callbench.store import journal
from callbench.store.columns import JOURNAL_COLUMNS, PLAN_COLUMNS
from callbench.store.head import COMPARISON, FILE, FORMAT, PEER, RUN, SEAL, RecordHead
from callbench.store.pieces import BY_PART, PARTS, VIEWS
from callbench.store.tables import QUERIES
from callbench.store.typed import Misfit, Typed, typed

CUT_OFF = "cut off"
_MARK = "made-from.json"
_FILES = "files"
_LEAST_OBJECT = 1 << 20
# How much of a journal is in memory at a time, where none of its lines is longer.
_PART_BYTES = 4 << 20
# A hundred journals of this size are read in half a second.
_GLANCE_BYTES = 4 << 20


class OtherFormat(BadInput):
    """A record that a newer or an older Callbench has written."""


def is_written(path: Path) -> bool:
    """Return whether a program writes a record now. One that was killed does not."""
    try:
        fd = os.open(path / "lock", os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(fd)
    return False


class Record:
    """Something that was measured: a run of a study, a comparison, a load, a soak ...

    Attributes:
        path: its folder.
        info: record.json: kind, title, started, state ...
        request: what was asked for: the options of the command, as record.json has them.
        condition: of the machine's idle states; `cells` of a connection are those measured in it.
    """

    def __init__(self, path: Path) -> None:
        """Opens a run folder for reading.

        Raises:
            BadInput: it is not a record, is damaged, or was written by a newer version.
        """
        self.path = path
        self._sealed = False
        self._views: duckdb.DuckDBPyConnection | None = None
        self.info = self._read_info()
        self.request: dict[str, Any] = self.info["request"]
        self.condition = str((self.request.get("idle") or [AS_IS])[0])

    def under(self, condition: str) -> "Record":
        """The same run, its cells those that were measured in another condition of the machine's idle states."""
        other = copy.copy(self)
        other.condition = condition
        other._views = None  # noqa: SLF001 - its own
        return other

    @property
    def kind(self) -> str:
        """What was measured: `run`, `comparison`, `peer`, `load`, `soak`, `overload`, `torture` ..."""
        return str(self.info["kind"])

    @property
    def state(self) -> str:
        """`running`, `finished`, `stopped`, or `cut off`: its program was killed, and could not write that down."""
        state = str(self.info["state"])
        return CUT_OFF if state == "running" and not is_written(self.path) else state

    @property
    def state_in_words(self) -> str:
        """Its state as the end of a sentence: `is stopped`, `was cut off`."""
        return f"{'was' if self.state == CUT_OFF else 'is'} {self.state}"

    def requested(self, of: type[Typed]) -> Typed:
        """What was asked for, as the type of the record's kind: see `store.requested`.

        Raises:
            BadInput: record.json is damaged.
        """
        try:
            return typed(self.request, of)
        except Misfit as misfit:
            raise BadInput(f"{self.path / FILE} is damaged: request.{misfit}") from None

    @property
    def study_file(self) -> Path:
        """The study as it was run.

        Raises:
            BadInput: it is a comparison's folder, which has none.
        """
        self.require_run()
        return self.path / "study.toml"

    @property
    def published_file(self) -> Path | None:
        """The published values that the study names, as they were."""
        file = self.path / "published.toml"
        return file if file.is_file() else None

    @property
    def journal_file(self) -> Path:
        """The truth."""
        return self.path / "journal.jsonl"

    def plan(self) -> PlanRecord:
        """plan.json.

        Raises:
            BadInput: it is missing or damaged.
        """
        return cast("PlanRecord", self._json("plan.json"))

    def environment(self) -> dict[str, Any]:
        """environment.json.

        Raises:
            BadInput: it is missing or damaged.
        """
        return self._json("environment.json")

    def lines(self) -> Iterator[dict[str, Any]]:
        """The journal's whole lines.

        Raises:
            BadInput: the journal is missing or a line is damaged.
        """
        self.require_sealed()
        return journal.read(self.journal_file)

    def require_sealed(self, *, at_a_glance: bool = False) -> None:
        """Check, once, that the journal is as it was when the work ended. One that is still written has no seal.

        Args:
            at_a_glance: whether a list of many records waits: of a journal that was not touched since, or that is
                large, only the length is looked at.

        Raises:
            BadInput: it is missing, was cut or altered.
        """
        if self._sealed:
            return
        if not self.journal_file.is_file():
            raise BadInput(f"{self.path} is damaged: it has no journal.jsonl")
        if SEAL in self.info:
            whole = not at_a_glance or self._was_touched()
            journal.require_sealed(self.journal_file, self.info[SEAL], whole=whole)
        self._sealed = not at_a_glance

    def _was_touched(self) -> bool:
        """Return whether a small journal was written after the end of the work, which record.json notes last."""
        own, head = self.journal_file.stat(), (self.path / FILE).stat()
        return own.st_mtime_ns > head.st_mtime_ns and own.st_size <= _GLANCE_BYTES

    def connection(self) -> "duckdb.DuckDBPyConnection":
        """Return a DuckDB connection in memory with a view of each table. The caller closes it.

        A run has the tables of `callbench.store.tables`. Every other record has one table, `journal`, with a row for
        each line. If the folder cannot be written, a run's tables are computed and kept in memory.

        Raises:
            BadInput: the record is damaged.
        """
        if self.kind != RUN:
            return self._journal_as_table(duckdb.connect())
        try:
            folder = self.parquet()
        except PermissionError:
            connection = duckdb.connect()
            self._tabulate(connection)
            connection.execute("ALTER TABLE cells RENAME TO every_cell")
            return self._under_condition(connection)
        # A report asks some ten times. While a run goes on, nothing is kept beside what is measured.
        if self.info["state"] == "running":
            return self._with_views(folder)
        self._views = self._views or self._with_views(folder)
        return self._views.cursor()

    def _with_views(self, folder: Path) -> "duckdb.DuckDBPyConnection":
        connection = duckdb.connect()
        for name in QUERIES:
            source = f"read_parquet({_quoted(folder / f'{name}.parquet')})"
            view = "every_cell" if name == "cells" else name
            connection.execute(f"CREATE VIEW {view} AS SELECT * FROM {source}")  # noqa: S608 - our own names, quoted
        return self._under_condition(connection)

    def _journal_as_table(self, connection: "duckdb.DuckDBPyConnection") -> "duckdb.DuckDBPyConnection":
        # Its whole lines only: the last one may be half written.
        text = "".join(json.dumps(line) + "\n" for line in self.lines())
        with os.fdopen(os.memfd_create("journal"), "wb") as file:
            file.write(text.encode())
            file.flush()
            source = f"read_json_auto('/proc/self/fd/{file.fileno()}', format='newline_delimited')"
            connection.execute(f"CREATE TABLE journal AS SELECT * FROM {source}")  # noqa: S608 - our own path
        return connection

    def _under_condition(self, connection: "duckdb.DuckDBPyConnection") -> "duckdb.DuckDBPyConnection":
        """The cells of one condition are those that everything is asked of; `every_cell` has them all."""
        which = f"SELECT * FROM every_cell WHERE idle = {_quoted(self.condition)}"  # noqa: S608 - quoted
        connection.execute(f"CREATE VIEW cells AS {which}")
        return connection

    def parquet(self) -> Path:
        """The folder of Parquet files, written again where the journal has grown since.

        Raises:
            BadInput: the run is damaged.
            PermissionError: the folder cannot be written.
            MachineFailure: the disk is full or fails.
        """
        self.require_run()
        folder = self.path / "parquet"
        if self._made_from(folder) == self._mark():
            return folder
        try:
            folder.mkdir(exist_ok=True)
            if not os.access(folder, os.W_OK):
                raise PermissionError(folder)
            self._write_parquet(folder)
        except OSError as failure:
            if isinstance(failure, PermissionError) or failure.strerror == "Read-only file system":
                raise PermissionError(folder) from failure
            raise machine_limits.written(f"cannot write {folder}", failure) from failure
        return folder

    def require_run(self) -> None:
        """See that this is a run of a study.

        Raises:
            BadInput: it is a record of another kind; the sentence names the command that shows it.
        """
        kind = self.kind
        if kind == COMPARISON:
            raise BadInput(
                f"{self.path} is a comparison, not a run of a study: `callbench compare {self.path}` shows it"
            )
        if kind == PEER:
            raise BadInput(f"{self.path} is a study driven by a peer: `callbench peer {self.path}` shows it")
        if kind != RUN:
            raise BadInput(f"{self.path} is a record of {kind}, not a run of a study: `callbench report {self.path}`")

    def _write_parquet(self, folder: Path) -> None:
        mark = self._mark()
        with duckdb.connect() as connection, tempfile.TemporaryDirectory(dir=folder, prefix=".making-") as making:
            # Two threads have two sets of buffers, and take a third more processor time.
            connection.execute("SET threads = 1")
            self._tabulate(connection)
            for name in QUERIES:
                part = Path(making) / f"{name}.parquet"
                try:
                    connection.execute(f"COPY {name} TO {_quoted(part)} (FORMAT parquet, COMPRESSION zstd)")
                except duckdb.IOException as failure:
                    raise MachineFailure(
                        machine_limits.remedied(f"cannot write {folder}: {_first_line(failure)}")
                    ) from failure
                part.replace(folder / part.name)
            marked = Path(making) / _MARK
            marked.write_text(json.dumps({**mark, _FILES: _digests(folder)}))
            marked.replace(folder / _MARK)

    def _tabulate(self, connection: "duckdb.DuckDBPyConnection") -> None:
        """Makes every table in `connection` from the journal and the plan."""
        self.plan()
        plan = self.path / "plan.json"
        try:
            self._read_parts(connection)
            planned = _reading(plan, PLAN_COLUMNS, "unstructured", plan.stat().st_size)
            _make(connection, "TEMP TABLE", {"planned": planned, **PARTS})
            _make(connection, "TEMP VIEW", VIEWS)
            _make(connection, "TABLE", QUERIES)
        except duckdb.OutOfMemoryException as failure:
            raise MachineFailure(machine_limits.remedied(f"{self.path}: {_first_line(failure)}")) from failure
        except duckdb.Error as failure:
            for _ in self.lines():  # names the damaged line if that is what is wrong
                pass
            raise BadInput(f"{self.path} is damaged: {_first_line(failure)}") from failure
        _drop(connection, "VIEW", VIEWS)
        _drop(connection, "TABLE", ("planned", *BY_PART, *PARTS))

    def _read_parts(self, connection: "duckdb.DuckDBPyConnection") -> None:
        """Fill the tables of `BY_PART` from the journal, a part of it after the other."""
        # Else what a part took is kept for the next one, which takes more: a quarter of the memory.
        connection.execute("SET allocator_bulk_deallocation_flush_threshold = '1MB'")
        # In memory: a file would outlive a core that is killed meanwhile.
        with os.fdopen(os.memfd_create("journal"), "wb") as part:
            source = Path(f"/proc/self/fd/{part.fileno()}")
            for number, longest in enumerate(_copied_parts(self.journal_file, part)):
                lines = _reading(source, JOURNAL_COLUMNS, "newline_delimited", longest)
                _make(connection, "TEMP TABLE", {"part": lines})
                if number:
                    for name, query in BY_PART.items():
                        connection.execute(f"INSERT INTO {name} {query}")
                else:
                    _make(connection, "TEMP TABLE", BY_PART)
                _drop(connection, "TABLE", ["part"])

    def _mark(self) -> dict[str, object]:
        """What the tables are made from: they are stale where this differs from what lies beside them."""
        self.require_sealed()
        text = "\n".join((*_queries(), str(JOURNAL_COLUMNS), str(PLAN_COLUMNS)))
        tables = hashlib.sha256(text.encode()).hexdigest()[:16]
        return {
            "callbench": VERSION,
            "tables": tables,
            "bytes": journal.complete_bytes(self.journal_file),
            "journal": self.info.get(SEAL),
        }

    @staticmethod
    def _made_from(folder: Path) -> object:
        try:
            mark = json.loads((folder / _MARK).read_text())
        except (OSError, ValueError):
            return None
        if not isinstance(mark, dict) or mark.pop(_FILES, None) != _digests(folder):
            # A table is missing, was cut or altered: all are made again from the journal.
            return None
        return mark

    def _read_info(self) -> dict[str, Any]:
        if not (self.path / FILE).is_file():
            raise BadInput(f"{self.path} is not a record: {_instead(self.path)}")
        info = self._json(FILE)
        written = info.get("format")
        if not isinstance(written, int):
            raise BadInput(f"{self.path / FILE} is damaged: it has no format number")
        if written > FORMAT:
            raise OtherFormat(
                f"{self.path} was written by a newer Callbench (format {written}, this one reads up to {FORMAT}):"
                " read it with that version"
            )
        if written < FORMAT:
            raise OtherFormat(f"{self.path} was written by an older Callbench (format {written}): measure again")
        try:
            typed(info, RecordHead)
        except Misfit as misfit:
            raise BadInput(f"{self.path / FILE} is damaged: {misfit}") from None
        return info

    def _json(self, name: str) -> dict[str, Any]:
        file = self.path / name
        try:
            value = json.loads(file.read_bytes())
        except FileNotFoundError as failure:
            raise BadInput(f"{self.path} is damaged: it has no {name}") from failure
        except OSError as failure:
            raise BadInput(f"cannot read {file}: {failure.strerror}") from failure
        except ValueError as failure:
            raise BadInput(f"{file} is damaged: it is not JSON") from failure
        if not isinstance(value, dict):
            raise BadInput(f"{file} is damaged: it is not a JSON object")
        return value


def _digests(folder: Path) -> dict[str, str | None]:
    """Return a digest of each table; None of one that is missing or cannot be read."""
    digests: dict[str, str | None] = {}
    for name in QUERIES:
        try:
            with (folder / f"{name}.parquet").open("rb") as file:
                digests[name] = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError:
            digests[name] = None
    return digests


def _instead(path: Path) -> str:
    """Describe what is there instead of a run folder, and what to do with it."""
    if path.is_file():
        known = {".toml": "it is a file; a study is run with `callbench run`", ".json": "it is a file, not a folder"}
        return known.get(path.suffix, "it is a file, not a folder")
    if not path.is_dir():
        return "there is no such folder"
    if (path / "adapter.toml").is_file():
        return "it is an adapter's; `callbench list stacks` has its stacks"
    inside = sorted(each.parent.name for each in path.glob(f"*/{FILE}"))
    if inside:
        return f"it holds {len(inside)} records: name one of them, such as {path / inside[-1]}"
    return f"it has no {FILE}"


def _queries() -> Iterator[str]:
    """Every query that the tables come from."""
    for queries in (BY_PART, PARTS, VIEWS, QUERIES):
        yield from queries.values()


def _make(connection: "duckdb.DuckDBPyConnection", what: str, queries: Mapping[str, str]) -> None:
    """Make tables or views, one after the other."""
    for name, query in queries.items():
        connection.execute(f"CREATE {what} {name} AS {query}")


def _drop(connection: "duckdb.DuckDBPyConnection", what: str, names: Iterable[str]) -> None:
    """Drop tables or views."""
    for name in names:
        connection.execute(f"DROP {what} {name}")


def _copied_parts(journal_file: Path, to: BinaryIO) -> Iterator[int]:
    """Copy the whole lines of a journal, a part at a time: each takes the place of the one before.

    A run in progress grows while it is read, and a killed one can end in half a line: whole lines only.

    Yields:
        the length of the part's longest line, in bytes; of an empty journal once, for an empty part.
    """
    left = journal.complete_bytes(journal_file)
    with journal_file.open("rb") as source:
        while True:
            longest = copied = 0
            while copied < min(left, _PART_BYTES) and (line := source.readline(left - copied)):
                to.write(line)
                longest, copied = max(longest, len(line)), copied + len(line)
            to.flush()
            yield longest
            left -= copied
            if left <= 0 or not copied:
                return
            to.seek(0)
            to.truncate()


def _reading(file: Path, columns: dict[str, str], form: str, longest: int) -> str:
    """Write the query that reads a file of JSON. DuckDB's buffers are as long as the longest object may be."""
    types = ", ".join(f"{_quoted(name)}: {_quoted(kind)}" for name, kind in columns.items())
    options = f"format = '{form}', columns = {{{types}}}, maximum_object_size = {max(_LEAST_OBJECT, longest + 1)}"
    return f"SELECT * FROM read_json({_quoted(file)}, {options})"  # noqa: S608 - our own names, quoted


def _quoted(text: object) -> str:
    return "'" + str(text).replace("'", "''") + "'"


def _first_line(failure: Exception) -> str:
    return str(failure).partition("\n")[0]


def kind_of(path: Path) -> str | None:
    """What a folder is a record of, as `Record.kind` has it; None if it is no record."""
    try:
        return Record(path).kind
    except BadInput:
        return None
