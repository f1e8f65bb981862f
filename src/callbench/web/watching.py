"""The views of a command that is running: its progress as it comes, and its log."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from callbench.model.errors import BadInput
from callbench.store import progress, turn
from callbench.store.record import is_written
from callbench.store.served_state import ServedState, read_state
from callbench.store.shelf import Shelf
from callbench.web.drawing import drawn
from callbench.web.guard import FRAMED_POLICY, MOVING_POLICY
from callbench.web.jobs import Job, Jobs
from callbench.web.serving import served
from callbench.web.views import part, script, view

_LOOK_S = 1.0
# So often something is sent where nothing happens, so that a connection that is gone is noticed.
_BEAT_S = 15
MOST_VIEWERS = 20
# How much of a long log is shown.
LOG_BYTES = 256 << 10
_PART_BYTES = 1 << 16
_HEAD = (
    '<!doctype html><html lang="en"><title>Log</title><link rel="stylesheet" href="/style.css">'
    '<pre class="log" tabindex="0">'
)


@dataclass(frozen=True)
class Watched:
    """A command, or a record that a terminal's command writes.

    Attributes:
        name: of the record.
        job: the command; None if it was not started from the page.
        record: the state of the record; "" as long as there is none.
        running: whether it goes on.
    """

    name: str
    job: Job | None
    record: str
    running: bool


class Watching:
    """What the addresses below `/watch/NAME` answer."""

    def __init__(self, shelf: Shelf, jobs: Jobs, ending: Callable[[], bool]) -> None:
        """Watch commands.

        Args:
            shelf: where their records lie.
            jobs: those that were started from the page.
            ending: whether the server is about to end.
        """
        self._shelf, self._jobs, self._ending = shelf, jobs, ending
        self._viewers = 0
        # The newest progress of each record, as HTML: ten viewers of one run need it once.
        self._parts: dict[str, tuple[object, str]] = {}

    def routes(self) -> Sequence[Route]:
        """Return the addresses."""
        return (
            Route("/moving.js", lambda _: script("moving.js")),
            Route("/watch/{name}", self._watch),
            Route("/watch/{name}/events", self._events),
            Route("/watch/{name}/log", self._log),
        )

    def watched(self, name: str) -> Watched:
        """Return what is watched.

        Raises:
            BadInput: nothing of this name was started here, and there is no such record.
        """
        record = self._shelf.state_of(name)
        try:
            job = self._jobs.job(name)
        except BadInput:
            path = self._shelf.path(name)
            return Watched(name, None, record, is_written(path))
        return Watched(name, job, record, job.running)

    def _watch(self, request: Request) -> Response:
        watched = self.watched(request.path_params["name"])
        return view("watch", {"watched": watched, "progress": self._part(watched)}, policy=MOVING_POLICY)

    def progress(self, watched: Watched) -> dict[str, Any] | None:
        """Return the progress as `progress.schema.json` has it; None if there is none."""
        if not (watched.running and watched.record):
            return None
        return progress.read(self._shelf.folder / watched.name)

    def serves(self, watched: Watched) -> ServedState | None:
        """Return what a command serves; None if it serves nothing."""
        job = watched.job
        return read_state(job.status) if job is not None and job.serves and watched.running else None

    def _part(self, watched: Watched) -> str:
        """Return the progress as HTML; "" if there is none."""
        document = self.serves(watched) or self.progress(watched)
        if document is None:
            self._parts.pop(watched.name, None)
            waits = watched.job is not None and watched.job.waiting
            return part("waiting", {"sentence": turn.waiting()}) if waits else ""
        known = self._parts.get(watched.name)
        if known is None or known[0] != document:
            try:
                text = self._drawn(watched, document)
            except (KeyError, TypeError, ValueError):
                text = part("progress_damaged", {})
            known = self._parts[watched.name] = document, text
        return known[1]

    def _drawn(self, watched: Watched, document: ServedState | Mapping[str, object]) -> str:
        if isinstance(document, ServedState):
            return part("serving", served(watched.name, document))
        return part("progress", drawn(document))

    def _events(self, request: Request) -> Response:
        return self.events(request.path_params["name"], self._part, lambda watched: part("state", {"watched": watched}))

    def events(self, name: str, moves: Callable[[Watched], str], ended: Callable[[Watched], str]) -> Response:
        """Return the progress as server-sent events.

        Args:
            name: what is followed.
            moves: returns the progress as it is sent.
            ended: returns how it ended.

        Raises:
            BadInput: there is nothing of this name.
            HTTPException: too many follow already.
        """
        self.watched(name)
        if self._viewers >= MOST_VIEWERS:
            raise HTTPException(503, f"{MOST_VIEWERS} others watch already: close one, and look again.")
        return StreamingResponse(self._followed_progress(name, moves, ended), media_type="text/event-stream")

    async def _followed_progress(
        self, name: str, moves: Callable[[Watched], str], ended: Callable[[Watched], str]
    ) -> AsyncIterator[str]:
        """Yield the progress when it has changed, a beat where it has not, and the state at the end."""
        self._viewers += 1
        try:
            sent, quiet_s = "", 0.0
            while not self._ending():
                watched = await run_in_threadpool(self.watched, name)
                text = await run_in_threadpool(moves, watched)
                if not watched.running:
                    yield _event("ended", ended(watched))
                    return
                if text != sent:
                    yield _event("progress", text)
                    sent, quiet_s = text, 0.0
                elif quiet_s >= _BEAT_S:
                    yield ": still here\n\n"
                    quiet_s = 0.0
                await asyncio.sleep(_LOOK_S)
                quiet_s += _LOOK_S
        except BadInput:
            # It was renamed or removed meanwhile.
            yield _event("gone", "")
        finally:
            self._viewers -= 1

    def _log(self, request: Request) -> Response:
        job = self._jobs.job(request.path_params["name"])
        headers = {"Content-Security-Policy": FRAMED_POLICY}
        return StreamingResponse(self._followed_log(job), media_type="text/html", headers=headers)

    async def _followed_log(self, job: Job) -> AsyncIterator[str]:
        """Yield the log as it grows, until its command has ended."""
        yield _HEAD
        with job.log.open("rb") as log:
            left_out = log.seek(0, 2) - LOG_BYTES
            log.seek(max(0, left_out))
            if left_out > 0:
                yield f"({left_out:,} bytes before this are in {escape(str(job.log))})\n"
            while not self._ending():
                # Asked before reading: what is written after the last look would be lost. And asked of the process, not
                # of its file: whoever removed the folder ends no answer with an error.
                over = not await run_in_threadpool(lambda: job.running)
                while piece := log.read(_PART_BYTES):
                    yield escape(piece.decode(errors="replace"))
                if over:
                    yield '</pre><p class="log">The command has ended.</p>'
                    return
                await asyncio.sleep(_LOOK_S)


def _event(name: str, text: str) -> str:
    """Return a server-sent event, as the HTML Living Standard has it (section 9.2)."""
    lines = "".join(f"data: {line}\n" for line in text.splitlines() or [""])
    return f"event: {name}\n{lines}\n"
