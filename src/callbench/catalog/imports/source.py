"""A document as the user named it: its text, and what else it may refer to."""

import datetime as dt
import functools
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from http.client import HTTPException
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from callbench.catalog.imports import document
from callbench.catalog.imports.given_answer import GivenAnswer
from callbench.model.errors import BadInput
from callbench.model.service.imported import Json

LARGEST_DOCUMENT = 64 * 2**20
"""Bytes of a schema. Samples, logs and captures may be larger; their importers read them piece by piece."""
HEAD = 64 * 2**10
SECONDS = 30
_COMPRESSED = (b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"7z\xbc\xaf")


@dataclass(frozen=True)
class Source:
    """A document.

    Attributes:
        name: the file or URL, as the user named it.
        path: the file; none for a URL, whose bytes are `data`.
        title: what it calls itself, if that is known without reading it.
    """

    name: str
    path: Path | None = None
    data: bytes = b""
    title: str = ""

    @property
    def stem(self) -> str:
        """The name without folders and suffix, for a service that has no other name."""
        if self.title:
            return self.title
        return Path(urllib.parse.urlsplit(self.name).path if self.path is None else self.path).stem or "service"

    @property
    def suffix(self) -> str:
        """`.proto`, in small letters."""
        return Path(urllib.parse.urlsplit(self.name).path if self.path is None else self.path).suffix.lower()

    def open(self) -> BinaryIO:
        """The bytes as a file.

        Raises:
            BadInput: it cannot be opened.
        """
        try:
            return BytesIO(self.data) if self.path is None else self.path.open("rb")
        except OSError as error:
            raise BadInput(f"cannot read {self.name}: {error.strerror}") from None

    @functools.cached_property
    def head(self) -> bytes:
        """The first bytes, to recognise the format by."""
        with self.open() as file:
            return file.read(HEAD)

    @functools.cached_property
    def content(self) -> bytes:
        """All bytes.

        Raises:
            BadInput: there are more than `LARGEST_DOCUMENT`.
        """
        with self.open() as file:
            content = file.read(LARGEST_DOCUMENT + 1)
        if len(content) > LARGEST_DOCUMENT:
            raise BadInput(f"{self.name} is larger than {LARGEST_DOCUMENT >> 20} MiB; take out what is not needed")
        return content

    @functools.cached_property
    def text(self) -> str:
        """All of it as text, UTF-8 with or without a mark.

        Raises:
            BadInput: it is not UTF-8, or too large.
        """
        return document.text(self.name, self.content)

    @functools.cached_property
    def document(self) -> Json:
        """The JSON or YAML in it.

        Raises:
            BadInput: it is neither, or too large.
        """
        return document.parsed(self.name, self.content)

    def refuse_compressed(self) -> None:
        """Checks that it is no archive. Nothing is unpacked here: a few bytes can hold gigabytes.

        Raises:
            BadInput: it is one.
        """
        if self.head.startswith(_COMPRESSED):
            raise BadInput(f"{self.name} is compressed; unpack it first")


def source(name: str) -> Source:
    """The document of a file or a URL. The URL is fetched, since the user named it.

    Raises:
        BadInput: there is no such file, it is no file, or the URL cannot be fetched.
    """
    if "://" in name:
        return Source(name, data=fetched(name, "it"))
    path = Path(name)
    if not path.is_file():
        raise BadInput(f"{name} {'is no file' if path.exists() else 'does not exist'}; name a file or a URL")
    return Source(name, path)


def fetched(url: str, what: str, limit: int = LARGEST_DOCUMENT) -> bytes:
    """What a URL answers.

    Args:
        url: http or https; so is every address that it redirects to.
        what: what is fetched, for errors.
        limit: bytes.

    Raises:
        BadInput: it cannot be fetched, or is larger.
    """
    if urllib.parse.urlsplit(url).scheme not in {"http", "https"}:
        raise BadInput(f"cannot fetch {url}: only http and https are supported; save {what} to a file")
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPRedirectHandler(),
        urllib.request.HTTPErrorProcessor(),
        urllib.request.HTTPDefaultErrorHandler(),
    ):
        opener.add_handler(handler)
    try:
        with opener.open(url, timeout=SECONDS) as answer:
            content: bytes = answer.read(limit + 1)
    except (OSError, HTTPException, ValueError) as error:
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        raise BadInput(f"cannot fetch {url}: {reason}; save {what} to a file and name that") from None
    if len(content) > limit:
        raise BadInput(f"{url} is larger than {limit >> 20} MiB; take out what is not needed")
    return content


def today() -> dt.date:
    """The day of an import."""
    return dt.datetime.now().astimezone().date()


@dataclass(frozen=True)
class Options:
    """What the user allows.

    Attributes:
        name: the service's name; if empty, the document gives one.
        network: whether references to the network are followed.
        files: folders outside the document's own whose files may be read.
        secrets: whether passwords and tokens in samples are kept.
        unions: whether samples that contradict each other make a value of any type; otherwise they are refused.
        samples: files and folders with samples for a schema; they become its payloads.
        calls: the calls that are taken, as names or patterns with `*`; all if there are none.
        answers: of calls whose samples have requests alone.
        fetch: how an address is fetched.
    """

    name: str = ""
    network: bool = False
    files: tuple[Path, ...] = ()
    secrets: bool = False
    unions: bool = False
    samples: tuple[Path, ...] = ()
    calls: tuple[str, ...] = ()
    answers: tuple[GivenAnswer, ...] = ()
    fetch: Callable[[str, str], bytes] = field(default=fetched, compare=False)
