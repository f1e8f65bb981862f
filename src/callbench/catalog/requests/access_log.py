"""Endpoints in the proportions of a log of requests."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from callbench.catalog.requests import log_line
from callbench.catalog.requests.log_line import LoggedRequest
from callbench.catalog.requests.proxy_log import W3cFields
from callbench.model.errors import BadInput
from callbench.model.script import Bodies, Script, Session, Step

# More lines say no more about proportions.
MOST_LINES = 1_000_000
MOST_ENDPOINTS = 200
MOST_PATHS = 100
_LONGEST_LINE = 1 << 20
_WITH_BODY = ("POST", "PUT", "PATCH")
_UNCHANGED = 304
# More of them need not be told apart.
_MOST_HOSTS = 100
# Programs of Windows begin a file with it.
_MARK = "\ufeff"
_GOOD = range(200, 400)
_PACKED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd")
_ID = re.compile(
    r"\d+"  # a number
    r"|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"  # a UUID
    r"|(?=[0-9a-fA-F]*\d)[0-9a-fA-F]{12,}"  # a long hexadecimal number
    r"|(?=[A-Za-z_-]*\d)[0-9A-Za-z_-]{20,}"  # a key such as those of databases and tokens
)
_ANY_ID = "{id}"


@dataclass
class _Endpoint:
    """What a log has of an endpoint.

    Attributes:
        paths: as they were asked, first ones first; a set would lose their order.
    """

    count: int = 0
    paths: dict[str, None] = field(default_factory=dict)
    bodies: dict[str, None] = field(default_factory=dict)
    statuses: set[int] = field(default_factory=set)
    bodiless: str = ""


@dataclass
class _Unread:
    """Lines that cannot be read.

    Attributes:
        first: the sentence about the first of them.
    """

    count: int = 0
    first: str = ""

    def add(self, why: str) -> None:
        """Count a line."""
        self.count += 1
        self.first = self.first or why

    def notes(self, path: Path) -> Iterator[str]:
        """A sentence, if there is such a line."""
        if self.count:
            what = "1 line is left out since it" if self.count == 1 else f"{self.count:,} lines are left out since they"
            yield f"{path}: {what} cannot be read; the first: {self.first}."


@dataclass(frozen=True)
class LogScript:
    """A log as a script.

    Attributes:
        notes: what of it is not in the script, in sentences.
    """

    script: Script
    notes: tuple[str, ...]


def read(path: Path, bodies: Sequence[Bodies] = (), *, expects: bool = True) -> LogScript:
    """Read a log.

    Requests that failed (no status, or one below 200 or of 400 and above) are left out, and so are lines that cannot be
    read, and endpoints beyond the most frequent ones.

    Args:
        path: of the log.
        bodies: bodies for the requests that have one, if the log has none.
        expects: whether an answer must have one of the statuses that the log has of its endpoint.

    Raises:
        BadInput: it cannot be read, most lines are unclear, or a body is missing; the sentence names the line.
    """
    endpoints: dict[tuple[str, str], _Endpoint] = {}
    unread = _Unread()
    failed = total = unknown = 0
    hosts: set[str] = set()
    for place, entry in _entries(path, unread):
        total += 1
        if entry.method is None or entry.target is None or not _went_well(entry):
            failed += 1
            continue
        unknown += entry.status is None
        if entry.host and len(hosts) < _MOST_HOSTS:
            hosts.add(entry.host)
        _count(endpoints.setdefault((entry.method, shape(entry.target)), _Endpoint()), entry, place)
    if unread.count > total:
        raise BadInput(unread.first)
    if not endpoints:
        raise BadInput(
            f"{path}: none of its {total:,} requests was answered with a status of 200 to 399; give another log"
        )
    kept = sorted(endpoints.items(), key=lambda it: -it[1].count)[:MOST_ENDPOINTS]
    sessions = tuple(_session(method, name, endpoint, bodies, expects=expects) for (method, name), endpoint in kept)
    notes = [*_notes(path, total, failed, endpoints, kept), *_without_status(path, unknown), *unread.notes(path)]
    notes += _hosts(path, sorted(hosts))
    return LogScript(Script(sessions=sessions), tuple(notes))


def _went_well(entry: LoggedRequest) -> bool:
    """Whether the answer was a right one, as far as the log has statuses."""
    return entry.status is None or entry.status in _GOOD


def _count(endpoint: _Endpoint, entry: LoggedRequest, place: str) -> None:
    endpoint.count += 1
    if entry.target is not None and len(endpoint.paths) < MOST_PATHS:
        endpoint.paths[entry.target] = None
    if entry.body is not None and len(endpoint.bodies) < MOST_PATHS:
        endpoint.bodies[entry.body] = None
    if entry.status is not None:
        endpoint.statuses.add(entry.status)
    if entry.method in _WITH_BODY and entry.body is None:
        endpoint.bodiless = endpoint.bodiless or place


def _session(method: str, name: str, endpoint: _Endpoint, given: Sequence[Bodies], *, expects: bool) -> Session:
    bodies: tuple[Bodies, ...] = tuple(Bodies(text=text) for text in endpoint.bodies)
    if method in _WITH_BODY and not bodies:
        if not given:
            raise BadInput(f"{endpoint.bodiless}: the log has no body of {method} {name}: give one with --body")
        bodies = tuple(given)
    # What was unchanged for a browser is sent whole to who does not ask for changes.
    statuses = {200 if status == _UNCHANGED else status for status in endpoint.statuses} if expects else set()
    step = Step(
        method=method,
        paths=tuple(endpoint.paths),
        bodies=bodies or None,
        variables=False,
        expect_status=tuple(sorted(statuses)) or None,
    )
    return Session(name=f"{method} {name}", weight=float(endpoint.count), steps=(step,))


def _notes(
    path: Path,
    total: int,
    failed: int,
    endpoints: dict[tuple[str, str], _Endpoint],
    kept: Sequence[tuple[tuple[str, str], _Endpoint]],
) -> Iterator[str]:
    used = sum(endpoint.count for _, endpoint in kept)
    yield f"{path}: {len(kept):,} endpoints stand for {used:,} of {total:,} requests."
    if failed:
        why = "no answer, or no status of 200 to 399"
        what = "1 request failed when it was" if failed == 1 else f"{failed:,} requests failed when they were"
        yield f"{path}: {what} logged ({why}): left out."
    if len(endpoints) > len(kept):
        rest = sum(endpoint.count for endpoint in endpoints.values()) - used
        yield f"{path}: {len(endpoints) - len(kept):,} rare endpoints with {rest:,} requests are left out."
    if total == MOST_LINES:
        yield f"{path}: the first {MOST_LINES:,} lines were read."
    methods = Counter(method for (method, _), _ in kept if method not in ("GET", "HEAD", "OPTIONS"))
    if methods:
        yield f"{path}: its requests of {', '.join(sorted(methods))} are sent, and may change what the server stores."


def _hosts(path: Path, hosts: Sequence[str]) -> Iterator[str]:
    """A sentence, if whole URLs were asked."""
    if hosts:
        others = f" and {len(hosts) - 1} more" if len(hosts) > 1 else ""
        what = f"the hosts {hosts[0]}{others}, which are" if others else f"the host {hosts[0]}, which is"
        yield f"{path}: its URLs name {what} not sent: the given server gets every request."


def _without_status(path: Path, count: int) -> Iterator[str]:
    """A sentence, if requests do not say whether they went well."""
    if count:
        what = "1 request has" if count == 1 else f"{count:,} requests have"
        yield f"{path}: {what} no status under a name that is known, so failed ones are not left out."


def _entries(path: Path, unread: _Unread) -> Iterator[tuple[str, LoggedRequest]]:
    """The requests of a log, each with its file and line."""
    lines = 0
    fields: W3cFields | None = None
    for place, line, whole in _lines(path):
        lines += 1
        if line is None:
            unread.add(f"{place} is longer than {_LONGEST_LINE:,} bytes: this is no access log")
            continue
        if line.startswith("#"):
            fields = W3cFields.declared(line) or fields
            continue
        try:
            entry = _entry(line, place, fields)
        except BadInput as error:
            if whole:  # Otherwise a server is still writing it.
                unread.add(str(error))
            continue
        if entry is not None:
            yield place, entry
    if not lines:
        raise BadInput(f"{path} has no lines; give a log with requests")


def _entry(line: str, place: str, fields: W3cFields | None) -> LoggedRequest | None:
    if fields is not None:
        return log_line.of_parts(*fields.parts(line, place), place)
    return log_line.of_json(line, place) if log_line.is_json(line) else log_line.common(line, place)


def _lines(path: Path) -> Iterator[tuple[str, str | None, bool]]:
    """Its lines that are not empty, each with its place, and whether it is whole. One that is too long is None."""
    try:
        with path.open("rb") as file:
            if file.read(4).startswith(_PACKED):
                raise BadInput(f"{path} is compressed: unpack it first")
            file.seek(0)
            number = read_lines = 0
            while read_lines < MOST_LINES and (raw := file.readline(_LONGEST_LINE)):
                number += 1
                place = f"{path}, line {number}"
                if len(raw) == _LONGEST_LINE:
                    while len(raw) == _LONGEST_LINE and not raw.endswith(b"\n"):
                        raw = file.readline(_LONGEST_LINE)
                    yield place, None, True
                    continue
                line = raw.decode("utf-8", "surrogateescape").rstrip("\r\n").removeprefix(_MARK if number == 1 else "")
                if line.strip():
                    read_lines += 1
                    yield place, line, raw.endswith(b"\n")
    except OSError as failure:
        raise BadInput(f"{path} cannot be read: {failure.strerror}") from failure


def shape(target: str) -> str:
    """The endpoint of a path with its query: identifiers become `{id}`, and of the query the names stay.

    Args:
        target: begins with /.
    """
    # Not by a parser of URLs: `//x` is a path here.
    whole, _, query = target.partition("#")[0].partition("?")
    path = "/".join(_ANY_ID if _ID.fullmatch(part) else part for part in whole.split("/"))
    names = sorted({pair.partition("=")[0] for pair in query.split("&") if pair})
    return f"{path}?{'&'.join(names)}" if names else path
