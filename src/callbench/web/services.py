"""Services of one's own, imported from files that were dropped on the page: by `callbench import`, as a process."""

import os
import re
import shlex
import shutil
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, BinaryIO

from pydantic import BaseModel, Field, ValidationError

from callbench.model import machine_limits
from callbench.model.errors import BadInput, NotNow, NotThere
from callbench.store.record_writer import put
from callbench.web.program import said, shell

_FOLDER = ".services"
MOST_BYTES = 32 << 20
MOST_FILES, MOST_SERVICES = 20, 100
_CHUNK = 1 << 16
_ODD = re.compile(r"[^A-Za-z0-9._+-]+")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,79}")


class ServiceCall(BaseModel):
    """A call of a service."""

    name: str
    request: str
    answer: str
    method: str
    path: str
    payloads: int


class ServiceLoss(BaseModel):
    """What a format cannot say, and what it becomes."""

    problem: str
    mapped: str
    places: list[str]


class FormatMeans(BaseModel):
    """Mean bytes of a message in a format, plain and compressed."""

    format: str
    request: dict[str, float]
    answer: dict[str, float]


class CallTable(BaseModel):
    """The bytes of a call in each format."""

    call: str
    payloads: int
    samples: bool
    formats: list[FormatMeans]
    cannot: Annotated[dict[str, str], Field(description="why a format cannot carry it")]


class ImportedService(BaseModel):
    """What `callbench import --json` prints."""

    folder: Annotated[str, Field(description="of the service; `callbench advise` and `run` take it")]
    name: str
    source: str
    form: str
    imported: str
    messages: list[str]
    enumerations: list[str]
    calls: list[ServiceCall]
    losses: list[ServiceLoss]
    notes: Annotated[list[str], Field(description="what was assumed, and what was left out as secret")]
    bytes: list[CallTable]


class Services:
    """The services in a folder of the page's own. The files that they came from are removed: they may hold secrets."""

    def __init__(self, records: Path) -> None:
        """Keep services beside the records."""
        self._folder = records / _FOLDER
        # One after the other: an import takes a processor.
        self._one = threading.Lock()

    def names(self) -> list[str]:
        """Return the names of all services, the newest first."""
        try:
            found = [entry for entry in os.scandir(self._folder) if entry.is_dir(follow_symlinks=False)]
        except OSError:
            return []
        found.sort(key=lambda entry: -entry.stat(follow_symlinks=False).st_mtime_ns)
        return [entry.name for entry in found if _NAME.fullmatch(entry.name)]

    def service(self, name: str) -> ImportedService:
        """Return a service.

        Raises:
            BadInput: there is none of this name, or its file is damaged.
        """
        file = self._place(name) / "import.json"
        try:
            return ImportedService.model_validate_json(file.read_bytes())
        except (OSError, ValidationError) as failure:
            raise BadInput(f"{file} is damaged: remove the service, and import it again") from failure

    def take(self, files: Sequence[tuple[str, BinaryIO]], answers: Sequence[tuple[str, BinaryIO]]) -> str:
        """Import a service from files. Return its name.

        Args:
            files: documents or samples, by their names.
            answers: of calls whose samples are requests alone, in JSON.

        Raises:
            BadInput: the files are too many or too large, or are no service; the sentence is the command's.
            MachineFailure: they cannot be kept, or it took too long.
        """
        if not files:
            raise BadInput("no file was chosen: drop a .proto, an OpenAPI document, a HAR file or a sample")
        if len(files) + len(answers) > MOST_FILES:
            raise BadInput(f"there are more than {MOST_FILES} files: give fewer")
        with self._one:
            if len(self.names()) >= MOST_SERVICES:
                raise NotNow(f"there are {MOST_SERVICES} services: remove one first")
            place = self._free(_plain(files[0][0]).partition(".")[0])
            given = place / "given"
            try:
                given.mkdir(mode=0o700, parents=True)
                documents, answered = _written(given, files, answers)
                words = ["import", *documents, *(f"--answer={file}" for file in answered)]
                text = said([*words, f"--out={place / 'service'}", "--json"])
                put(place / "import.json", ImportedService.model_validate_json(text).model_dump_json().encode())
                shutil.rmtree(given)
            except OSError as failure:
                shutil.rmtree(place, ignore_errors=True)
                raise machine_limits.written(f"cannot import into {self._folder}", failure) from failure
            except BaseException:
                shutil.rmtree(place, ignore_errors=True)
                raise
        return place.name

    def remove(self, name: str) -> None:
        """Remove a service.

        Raises:
            BadInput: there is none of this name.
        """
        shutil.rmtree(self._place(name), ignore_errors=True)

    def _place(self, name: str) -> Path:
        place = self._folder / name
        if not _NAME.fullmatch(name) or place.is_symlink() or not place.is_dir():
            raise NotThere(f"there is no service {name!r} in {self._folder}")
        return place

    def _free(self, name: str) -> Path:
        """Return a folder that is not there yet."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        number = 1
        while os.path.lexists(place := self._folder / (name if number == 1 else f"{name}-{number}")):
            number += 1
        return place


def in_terminal(service: ImportedService) -> str:
    """Return the command that shows the same of a document in a terminal."""
    return f"{shell(['import', Path(service.source).name])} --out {shlex.quote(service.name)}"


def _plain(name: str) -> str:
    """Return a name of a file that is only that: what a browser sends may have a path, or any letters."""
    short = _ODD.sub("-", name.replace("\\", "/").rpartition("/")[2]).strip("-._+")[-60:].strip("-._+")
    return short or "service"


def _written(
    folder: Path, files: Iterable[tuple[str, BinaryIO]], answers: Iterable[tuple[str, BinaryIO]]
) -> tuple[list[str], list[str]]:
    """Write files into a folder. Return the paths of both kinds."""
    left = MOST_BYTES
    paths: tuple[list[str], list[str]] = [], []
    for kind, given in enumerate((files, answers)):
        # An answer beside the documents would be taken for one of them.
        place = folder / ("documents", "answers")[kind]
        place.mkdir()
        for name, content in given:
            path = place / _plain(name)
            try:
                with path.open("xb") as file:
                    while piece := content.read(_CHUNK):
                        left -= len(piece)
                        if left < 0:
                            raise BadInput(f"the files are too large: at most {MOST_BYTES >> 20} MiB are imported")
                        file.write(piece)
            except FileExistsError:
                raise BadInput(f"two files are called {path.name}: rename one") from None
            paths[kind].append(str(path))
    return paths
