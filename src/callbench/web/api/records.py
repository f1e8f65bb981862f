"""What the API does with records."""

from typing import BinaryIO

from starlette.responses import HTMLResponse, Response

from callbench.analysis.history.order import SeriesOrder
from callbench.report.export.latency_document import LatencyDocument
from callbench.store import packed
from callbench.store.head import COMPARISON
from callbench.web.api.messages import (
    ComparisonAsked,
    DeletionAsked,
    HistoryAsked,
    LatencyAsked,
    NameAsked,
    NothingAsked,
    RecordEntry,
    RecordList,
    RecordName,
    RecordsAsked,
    ReportAsked,
    TagsAsked,
)
from callbench.web.api.operation import ZIP, Operation, Upload
from callbench.web.api.parts import PageParts
from callbench.web.api.schemas import HISTORY, record_kinds
from callbench.web.exporting import exported
from callbench.web.guard import REPORT_POLICY
from callbench.web.program import KeptAnswers
from callbench.web.reports import beside, state_of


class Records:
    """What is done with records."""

    def __init__(self, parts: PageParts) -> None:
        """Work on what the page shows."""
        self._parts, self._shelf, self._answers = parts, parts.shelf, KeptAnswers()

    def operations(self) -> list[Operation | Upload]:
        """Return what can be asked."""
        at = "/records/{name}"
        return [
            Operation("GET", "/records", "listRecords", self._list),
            Upload("/records", "importRecord", self._import),
            Operation("GET", at, "showRecord", self._show, record_kinds()),
            Operation("GET", f"{at}/entry", "getEntry", self._entry),
            Operation("GET", f"{at}/report", "getReport", self._report, media="text/html"),
            Operation("GET", f"{at}/latency", "getLatency", self._latency),
            Operation("GET", f"{at}/export", "exportRecord", self._export, media=ZIP),
            Operation("POST", f"{at}/name", "renameRecord", self._rename, more=[409]),
            Operation("POST", f"{at}/tags", "tagRecord", self._tag),
            Operation("POST", f"{at}/delete", "deleteRecord", self._delete, more=[409]),
            Operation("GET", "/compare", "compareRuns", self._compare, [COMPARISON], more=[404]),
            Operation("GET", "/history", "getHistory", self._history, [HISTORY]),
        ]

    def _list(self, _: str, asked: RecordsAsked) -> RecordList:
        """List records, the newest first."""
        entries = [entry for entry in self._shelf.entries() if entry.fits(asked.q, asked.kind, asked.state, asked.tag)]
        return RecordList(folder=str(self._shelf.folder), records=[RecordEntry.of(entry) for entry in entries])

    def _import(self, file: BinaryIO) -> RecordName:
        """Import a record that was exported."""
        return RecordName(name=packed.unpack(file, self._shelf))

    def _show(self, name: str, _: NothingAsked) -> str:
        """Return what `callbench show RUN --json` prints."""
        path = self._shelf.path(name)
        return self._answers.text(["show", str(path), "--json"], state_of(path))

    def _entry(self, name: str, _: NothingAsked) -> RecordEntry:
        """Return a record as the list has it."""
        return RecordEntry.of(self._shelf.entry(name))

    def _report(self, name: str, asked: ReportAsked) -> Response:
        """Return the report of a record."""
        page = self._parts.reports.written(self._shelf.path(name), beside(asked.beside))
        return HTMLResponse(page, headers={"Content-Security-Policy": REPORT_POLICY})

    def _latency(self, name: str, asked: LatencyAsked) -> LatencyDocument:
        """Return the latencies of chosen cells of a run by percentile, with their intervals."""
        options = [f"--latency={asked.cells}", "--format=json"]
        return LatencyDocument.model_validate_json(self._parts.reports.written(self._shelf.path(name), options))

    def _export(self, name: str, _: NothingAsked) -> Response:
        """Return a record as one file."""
        return exported(self._shelf.path(name), self._parts.kept)

    def _rename(self, name: str, asked: NameAsked) -> RecordEntry:
        """Rename a record."""
        self._shelf.rename(name, asked.name)
        return RecordEntry.of(self._shelf.entry(asked.name))

    def _tag(self, name: str, asked: TagsAsked) -> RecordEntry:
        """Replace the tags of a record."""
        self._shelf.tag(name, asked.tags)
        return RecordEntry.of(self._shelf.entry(name))

    def _delete(self, name: str, _: DeletionAsked) -> RecordName:
        """Delete a record with its folder."""
        self._shelf.remove(name)
        return RecordName(name=name)

    def _compare(self, _: str, asked: ComparisonAsked) -> str:
        """Return what `callbench compare RUN RUN --json` prints."""
        return self._parts.comparing.text(asked.first, asked.other)

    def _history(self, _: str, asked: HistoryAsked) -> str:
        """Return what `callbench history FOLDER --json` prints."""
        return self._parts.histories.text(SeriesOrder(asked.by))
