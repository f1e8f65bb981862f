"""The views that start a command and watch it."""

import asyncio
import shlex
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from html import escape

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from callbench.catalog.study import names
from callbench.model.errors import BadInput
from callbench.store.shelf import Shelf
from callbench.web.forms import FORMS, command_line
from callbench.web.guard import FRAMED_POLICY
from callbench.web.jobs import Job, Jobs
from callbench.web.views import view

_LOOK_S = 1.0
# How much of a long log is shown.
_LOG_BYTES = 256 << 10
_ESTIMATE_S = 120
_PART_BYTES = 1 << 16
_HEAD = (
    '<!doctype html><html lang="en"><title>Log</title><link rel="stylesheet" href="/style.css">'
    '<pre class="log" tabindex="0">'
)


class Starting:
    """What the addresses below `/new` and `/watch` answer."""

    def __init__(self, shelf: Shelf) -> None:
        """Start and watch commands whose records lie in a folder."""
        self._shelf = shelf
        self._jobs = Jobs(shelf)

    def routes(self) -> Sequence[Route]:
        """Return the addresses."""
        return (
            Route("/new", lambda _: RedirectResponse("/new/run", 303)),
            Route("/new/{what}", self._new, methods=["GET"]),
            Route("/new/{what}", self._start, methods=["POST"]),
            Route("/watch", self._list),
            Route("/watch/{name}", self._watch),
            Route("/watch/{name}/log", self._log),
            Route("/watch/{name}/stop", self._stop, methods=["POST"]),
            Route("/watch/{name}/resume", self._resume, methods=["POST"]),
        )

    def _new(self, request: Request) -> Response:
        what, values = request.path_params["what"], dict(request.query_params)
        words = command_line(what, values)
        form = FORMS[what]
        wants = bool(words) and form.estimates and "estimate" in values
        return view(
            "new",
            {
                "what": what,
                "forms": FORMS,
                "form": form,
                "values": {field.name: values.get(field.name, "") for field in form.fields},
                "studies": names() if what == "run" else [],
                "shell": shlex.join(["callbench", *words]) if words else "",
                "estimate": _estimate(words) if wants else "",
            },
        )

    async def _start(self, request: Request) -> Response:
        what = request.path_params["what"]
        async with request.form(max_files=0, max_fields=20) as form:
            values = {name: value for name, value in form.items() if isinstance(value, str)}
        words = command_line(what, values)
        if not words:
            raise BadInput(f"nothing was started: fill in {FORMS[what].fields[0].label}")
        job = await run_in_threadpool(self._jobs.start, words)
        return RedirectResponse(f"/watch/{job.name}", 303)

    def _list(self, _: Request) -> Response:
        return view("started", {"jobs": [(job, _shell(job)) for job in self._jobs.jobs()]})

    def _watch(self, request: Request) -> Response:
        job = self._jobs.job(request.path_params["name"])
        record = self._shelf.state_of(job.name)
        return view("watch", {"job": job, "shell": _shell(job), "record": record, "running": job.running})

    def _log(self, request: Request) -> Response:
        job = self._jobs.job(request.path_params["name"])
        headers = {"Content-Security-Policy": FRAMED_POLICY}
        return StreamingResponse(self._followed(job), media_type="text/html", headers=headers)

    async def _followed(self, job: Job) -> AsyncIterator[str]:
        """Yield the log as it grows, until its command has ended."""
        yield _HEAD
        with job.log.open("rb") as log:
            left_out = log.seek(0, 2) - _LOG_BYTES
            log.seek(max(0, left_out))
            if left_out > 0:
                yield f"({left_out:,} bytes before this are in {escape(str(job.log))})\n"
            while True:
                # Asked before reading: what is written after the last look would be lost.
                over = not (await run_in_threadpool(self._jobs.job, job.name)).running
                while part := log.read(_PART_BYTES):
                    yield escape(part.decode(errors="replace"))
                if over:
                    break
                await asyncio.sleep(_LOOK_S)
        yield '</pre><p class="log">The command has ended.</p>'

    async def _stop(self, request: Request) -> Response:
        name = request.path_params["name"]
        await run_in_threadpool(self._jobs.stop, name)
        return RedirectResponse(f"/watch/{name}", 303)

    async def _resume(self, request: Request) -> Response:
        job = await run_in_threadpool(self._jobs.resume, request.path_params["name"])
        return RedirectResponse(f"/watch/{job.name}", 303)


def _shell(job: Job) -> str:
    return shlex.join(["callbench", *job.words])


def _estimate(words: Sequence[str]) -> str:
    """Return what the command says that it would measure, and how long it takes."""
    try:
        ended = subprocess.run(
            [sys.executable, "-m", "callbench", *words, "--dry-run"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_ESTIMATE_S, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"The estimate took more than {_ESTIMATE_S} s."
    return ended.stdout + ended.stderr
