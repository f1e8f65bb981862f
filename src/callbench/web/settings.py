"""The view of this machine: what it can run, what is missing, and buttons that set it up."""

import getpass
import json
import os
import shlex
import threading
from collections.abc import Sequence
from urllib.parse import urlsplit

from pydantic import BaseModel, TypeAdapter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from callbench.model.errors import NotNow, NotThere
from callbench.report.advice.amounts import payload
from callbench.web.forms import FORMS
from callbench.web.jobs import Job, Jobs
from callbench.web.program import said
from callbench.web.views import view


class MachineFinding(BaseModel):
    """A row of `callbench doctor --json`."""

    subject: str
    state: str
    found: str
    remedy: str | None


class SetupRow(BaseModel):
    """A row of `callbench setup --json`."""

    name: str
    state: str
    needs: str
    why_not: str | None
    possible: bool

    @property
    def offered(self) -> bool:
        """Whether a button sets it up."""
        return self.possible and self.why_not is not None


class Settings:
    """What this machine has, and what the addresses below `/settings` answer."""

    def __init__(self, jobs: Jobs) -> None:
        """Start what sets things up as commands."""
        self._jobs = jobs
        self._one = threading.Lock()
        # The doctor starts every adapter once, so it looks when it is asked, and never beside a measurement by itself.
        self._findings: list[MachineFinding] | None = None

    def routes(self) -> Sequence[Route]:
        """Return the addresses."""
        return (
            Route("/settings", self._show, methods=["GET"]),
            Route("/settings/look", self._look, methods=["POST"]),
            Route("/settings/setup/{name}", self._set_up, methods=["POST"]),
            Route("/settings/cache", self._clear, methods=["POST"]),
        )

    def look(self) -> list[MachineFinding]:
        """Return what `callbench doctor` says now. It takes some seconds.

        Raises:
            CallbenchError: it cannot say anything; the sentence is the command's.
        """
        with self._one:
            self._findings = TypeAdapter(list[MachineFinding]).validate_json(said(["doctor", "--json"]))
            return self._findings

    def parts(self) -> list[SetupRow]:
        """Return what can be set up, as `callbench setup` lists it.

        Raises:
            CallbenchError: it cannot be listed; the sentence is the command's.
        """
        return TypeAdapter(list[SetupRow]).validate_json(said(["setup", "--json"]))

    def set_up(self, name: str, back: str = "") -> Job:
        """Start setting up a part. Return the command, from which an address leads back.

        Raises:
            BadInput: there is nothing to set up by this name, or a part is being set up.
            MachineFailure: it cannot be started.
        """
        if name not in [part.name for part in self.parts() if part.offered]:
            raise NotThere(f"{name!r} is not to be set up here: Settings lists what is missing")
        return self._start(["setup", name], back)

    def clear_cache(self) -> Job:
        """Start removing what was compiled and is not used now. Return the command.

        Raises:
            BadInput: that goes on already.
            MachineFailure: it cannot be started.
        """
        return self._start(["cache", "--clear"])

    def _start(self, words: Sequence[str], back: str = "") -> Job:
        with self._one:
            for job in self._jobs.jobs():
                if job.words[0] == words[0] and job.running:
                    raise NotNow(f"{job.shell} is running: wait for its end, or stop it in Watch")
            return self._jobs.start(words, records=False, back=back)

    def _show(self, request: Request) -> Response:
        entries = json.loads(said(["cache", "--json"]))
        return view(
            "settings",
            {
                "findings": self._findings,
                "parts": self.parts(),
                "cached": len(entries),
                "size": payload(sum(entry["MB"] for entry in entries) * 1e6),
                "host": request.url.hostname,
                "tls": request.url.scheme == "https",
                "user": getpass.getuser(),
                "root": os.geteuid() == 0,
                "folder": shlex.quote(str(self._jobs.folder)),
            },
        )

    async def _look(self, _: Request) -> Response:
        await run_in_threadpool(self.look)
        return RedirectResponse("/settings", 303)

    async def _set_up(self, request: Request) -> Response:
        # A browser says which form's button it was, and that address keeps the form's choices.
        came = urlsplit(request.headers.get("referer", ""))
        back = f"{came.path}?{came.query}" if came.path.removeprefix("/new/") in FORMS else ""
        job = await run_in_threadpool(self.set_up, request.path_params["name"], back)
        return RedirectResponse(f"/watch/{job.name}", 303)

    async def _clear(self, _: Request) -> Response:
        job = await run_in_threadpool(self.clear_cache)
        return RedirectResponse(f"/watch/{job.name}", 303)
