"""A folder of records as static files, for any web host, or to be opened from disk.

The report of a record is what `callbench report` writes, and its file to download what *Export* of the page gives, but
smaller: it is packed once and fetched often.
"""

import json
import re
import shutil
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from callbench.adapter import temporary
from callbench.analysis.history.history import history
from callbench.analysis.history.order import SeriesOrder
from callbench.analysis.history.series import collected
from callbench.model import machine_limits
from callbench.model.errors import BadInput
from callbench.report import records
from callbench.report.export import cells as page_of_cells
from callbench.report.history.document import document
from callbench.store import packed
from callbench.store.head import RUN, as_file
from callbench.store.record import Record
from callbench.store.shelf import Shelf, ShelvedRecord
from callbench.web.guard import FRAME_SCRIPTS
from callbench.web.histories import shown
from callbench.web.reports import title_of
from callbench.web.views import asset, beginning, part, reading, style

MARKER = "site.json"
_FORMAT = 1
# The only names that a publication writes, and so the only ones that the next one removes.
_OURS = re.compile(
    r"(?:index|history|commits)\.html|feed\.xml|site\.json|tables\.js|marks\.js|records/[a-z]+-[0-9]{8}-[0-9a-f]{12}(?:-cells\.html|\.html|\.zip)"
)
_SPACE = uuid.UUID("5b1f4a5e-3f0a-4f0e-9a43-3d1f7f2f6c11")
_UNKNOWN = "1970-01-01T00:00:00Z"
_HISTORIES: Mapping[str, str] = {SeriesOrder.TIME: "history.html", SeriesOrder.COMMIT: "commits.html"}


@dataclass(frozen=True)
class PublishedRecord:
    """A record in a publication.

    Attributes:
        id: stays the same when the record is renamed, tagged or continued.
        entry: what is known of it.
        verdict: the title of its report.
        updated: when its work ended, or began where it did not end; UTC.
        bytes: of the file to download.
    """

    id: str
    entry: ShelvedRecord
    verdict: str
    updated: str
    bytes: int

    @property
    def uuid(self) -> str:
        """The name of its entry in the feed."""
        return str(uuid.uuid5(_SPACE, self.id))


def publish(shelf: Shelf, out: Path, url: str, say: Callable[[str], None]) -> list[PublishedRecord]:
    """Write the records of a folder as static files. Return those that are in it, newest first.

    Args:
        shelf: the records.
        out: a new or empty folder, or one that an earlier publication made.
        url: where the files will be found, for the feed; "" leaves its links relative.
        say: is told of each record that is left out, and why.

    Raises:
        BadInput: the folder is another's, or there is nothing to publish.
        MachineFailure: a file cannot be written.
    """
    before = _before(out)
    site = _Site(out, before)
    published: dict[str, PublishedRecord] = {}
    with temporary.folder("callbench-publish-") as making:
        for entry in shelf.entries():
            try:
                new = _one(shelf, entry, site, published, making)
            except BadInput as failure:
                say(f"left out: {entry.name}: {failure}")
                continue
            published[new.id] = new
    if not published:
        raise BadInput(f"there is no record to publish in {shelf.folder}: measure something first")
    made = list(published.values())
    feed = before.get("feed") or str(uuid.uuid4())
    base = url.rstrip("/") + "/" if url else ""
    site.write("index.html", part("published", {"records": made, "style": style()}).encode())
    ids = {record.entry.name: record.id for record in made}
    orders = [
        order for order in SeriesOrder if order is SeriesOrder.TIME or any(record.entry.commit for record in made)
    ]
    for order in orders:
        changed = shown(document(history(collected(shelf, order=order)), order), lambda name: _page(ids.get(name)))
        page = part("published_history", {"style": style(), "pages": _HISTORIES, "orders": orders, **changed})
        site.write(_HISTORIES[order], page.encode())
    for script in FRAME_SCRIPTS:
        site.write(script[1:], asset(script[1:]).encode())
    site.write("feed.xml", part("feed", {"records": made, "feed": feed, "base": base, "plain": _plain}).encode())
    site.end(feed, made)
    return made


def _one(
    shelf: Shelf, entry: ShelvedRecord, site: "_Site", others: Mapping[str, PublishedRecord], making: Path
) -> PublishedRecord:
    """Write a record's report and its file to download, both made in a folder that goes.

    Raises:
        BadInput: it is not published; the sentence says why.
        MachineFailure: a file cannot be written.
    """
    if entry.state == "running":
        raise BadInput("it is being written: publish again when its command has ended")
    run = Record(shelf.path(entry.name))
    if run.info.get("secrets") == "kept":
        raise BadInput("its secrets are kept in it: measure again without --keep-secrets")
    key = entry.id
    if key in others:
        raise BadInput(f"it is the same record as {others[key].entry.name}")
    page = making / "report.html"
    records.write(run.path, "html", page)
    content = page.read_bytes()
    _write_page(site, key, content, cells=run.kind == RUN)
    if run.kind == RUN:
        page_of_cells.write(run.path, page)
        _write_page(site, f"{key}-cells", page.read_bytes(), cells=False)
    size = _download(run.path, site, f"records/{key}.zip", making)
    updated = str(run.info.get("finished") or run.info["started"] or _UNKNOWN)
    return PublishedRecord(key, entry, title_of(content) or entry.title, updated, size)


def _write_page(site: "_Site", name: str, content: bytes, *, cells: bool) -> None:
    """Write a page, with links to the list, to the record's file, and to the page of its cells if there is one."""
    bar = part("published_bar", {"id": name.removesuffix("-cells"), "cells": cells})
    site.write(f"records/{name}.html", beginning(content, bar + reading("../")))


def _download(record: Path, site: "_Site", name: str, making: Path) -> int:
    """Write a record as one small file, unless an earlier publication did: it takes long. Return its bytes.

    Raises:
        BadInput, MachineFailure: as `_Site.write` says.
    """
    there = site.made(name)
    if there.is_file() and packed.is_packed(record, there, small=True):
        site.keep(name)
        return there.stat().st_size
    file = making / "record.zip"
    packed.pack(record, file, small=True)
    site.write(name, file)
    return file.stat().st_size


def _before(out: Path) -> dict[str, Any]:
    """Return what an earlier publication noted of the folder; nothing of a new or an empty one.

    Raises:
        BadInput: something else is there.
    """
    remedy = "name a new folder, or one that `callbench publish` made"
    if out.is_symlink() or (out.exists() and not out.is_dir()):
        raise BadInput(f"{out} is no folder: {remedy}")
    if not out.exists() or not any(out.iterdir()):
        return {}
    try:
        marker = json.loads((out / MARKER).read_bytes())
    except (OSError, ValueError):
        marker = None
    if not isinstance(marker, dict) or marker.get("made_by") != "callbench publish" or marker.get("format") != _FORMAT:
        raise BadInput(f"{out} was not made by this command, and something is in it: {remedy}")
    return marker


class _Site:
    """The files of a publication."""

    def __init__(self, out: Path, before: Mapping[str, Any]) -> None:
        self._out, self._before, self._files = out, before, list[str]()

    def made(self, name: str) -> Path:
        """Return a file's path, in a folder that is there.

        Raises:
            BadInput: a link leads out of the folder.
            MachineFailure: the folder cannot be made.
        """
        file = self._out / name
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
        except OSError as failure:
            raise machine_limits.written(f"cannot make the folder {file.parent}", failure) from failure
        if file.is_symlink() or file.parent.is_symlink():
            raise BadInput(f"{file} leads elsewhere by a symbolic link: remove it")
        return file

    def write(self, name: str, content: bytes | Path) -> None:
        """Write a file that everybody may read, whole or not at all.

        Args:
            name: of the file, in the folder.
            content: what is in it, or the file that has it.

        Raises:
            BadInput: a link leads out of the folder.
            MachineFailure: it cannot be written.
        """
        file = self.made(name)
        part_ = file.with_name(f".{file.name}.part")
        try:
            if isinstance(content, Path):
                shutil.copyfile(content, part_)
            else:
                part_.write_bytes(content)
            part_.chmod(0o644)
            part_.replace(file)
        except OSError as failure:
            part_.unlink(missing_ok=True)
            raise machine_limits.written(f"cannot write {file}", failure) from failure
        self._files.append(name)

    def keep(self, name: str) -> None:
        """Leave a file as an earlier publication wrote it."""
        self._files.append(name)

    def end(self, feed: str, made: Sequence[PublishedRecord]) -> None:
        """Write what the next publication has to know, and remove the files of records that are no more.

        Raises:
            MachineFailure: a file cannot be written or removed.
        """
        known = {
            "format": _FORMAT,
            "made_by": "callbench publish",
            "feed": feed,
            "files": sorted([*self._files, MARKER]),
            "records": [
                {"id": record.id, "kind": record.entry.kind, "verdict": record.verdict, "updated": record.updated}
                for record in made
            ],
        }
        self.write(MARKER, as_file(known))
        gone = {str(name) for name in self._before.get("files", ())} - {*self._files, MARKER}
        for name in gone:
            if _OURS.fullmatch(name):
                try:
                    self.made(name).unlink()
                except FileNotFoundError:
                    continue
                except OSError as failure:
                    raise machine_limits.written(f"cannot remove {self._out / name}", failure) from failure


def _page(key: str | None) -> str:
    """Return the address of a record's page from the others; "" of one that is not published."""
    return f"records/{key}.html" if key else ""


def _plain(text: str) -> str:
    """Return a text without the characters that XML cannot have."""
    return "".join(character if character.isprintable() else " " for character in text)
