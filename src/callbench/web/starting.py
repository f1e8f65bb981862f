"""The views that start a command, list what was started, and stop it."""

from collections.abc import Sequence

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from callbench.catalog.study import names
from callbench.model.errors import BadInput
from callbench.web.forms import FORMS, command_line
from callbench.web.jobs import Jobs
from callbench.web.program import estimate, shell
from callbench.web.views import view


class Starting:
    """What the addresses below `/new` answer, and those that stop a command and go on with it."""

    def __init__(self, jobs: Jobs) -> None:
        """Start commands."""
        self._jobs = jobs

    def routes(self) -> Sequence[Route]:
        """Return the addresses."""
        return (
            Route("/new", lambda _: RedirectResponse("/new/run", 303)),
            Route("/new/{what}", self._new, methods=["GET"]),
            Route("/new/{what}", self._start, methods=["POST"]),
            Route("/watch", self._list),
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
                "shell": shell(words) if words else "",
                "estimate": estimate(words) if wants else "",
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
        return view("started", {"jobs": [(job, job.shell) for job in self._jobs.jobs()]})

    async def _stop(self, request: Request) -> Response:
        name = request.path_params["name"]
        await run_in_threadpool(self._jobs.stop, name)
        return RedirectResponse(f"/watch/{name}", 303)

    async def _resume(self, request: Request) -> Response:
        job = await run_in_threadpool(self._jobs.resume, request.path_params["name"])
        return RedirectResponse(f"/watch/{job.name}", 303)
