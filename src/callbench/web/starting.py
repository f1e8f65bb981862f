"""The views that start a command, list what was started, and stop it."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from typing import TypeVar
from urllib.parse import quote, urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from callbench.catalog.study import names
from callbench.model.errors import BadInput, CallbenchError
from callbench.web import choosing, leading
from callbench.web.failing import answer_of
from callbench.web.forms import FORMS, SERVE, command_line, masked
from callbench.web.guard import MOVING_POLICY
from callbench.web.jobs import Jobs
from callbench.web.program import shell, tried
from callbench.web.serving import Serving
from callbench.web.views import view

_Made = TypeVar("_Made")
# Of a form: each field once, what its button says, and the boxes of a study.
_MOST_FIELDS = 400


class Starting:
    """What the addresses below `/new` answer, and those that stop a command and go on with it."""

    def __init__(self, jobs: Jobs, serving: Serving) -> None:
        """Start commands, and name those that serve."""
        self._jobs, self._serving = jobs, serving

    def routes(self) -> Sequence[Route]:
        """Return the addresses."""
        return (
            Route("/new", lambda _: RedirectResponse("/new/run", 303)),
            Route("/new/{what}", self._new, methods=["GET"]),
            Route("/new/{what}", self._start, methods=["POST"]),
            Route("/new/{what}/line", self._line, methods=["POST"]),
            Route("/new/{what}/call", self._call, methods=["POST"]),
            Route("/new/run/study.toml", self._study_file),
            Route("/watch", self._list),
            Route("/watch/{name}/stop", self._stop, methods=["POST"]),
            Route("/watch/{name}/resume", self._resume, methods=["POST"]),
        )

    def _new(self, request: Request) -> Response:
        return self._shown(request.path_params["what"], choosing.together(request.query_params.multi_items()))

    def _study_file(self, request: Request) -> Response:
        """Return the study file of the form, which measures the same without options."""
        values = choosing.together(request.query_params.multi_items())
        words = command_line("run", values)
        text = choosing.previewed(words).study_file if words else None
        if text is None:
            raise BadInput("there is no study file: choose a study, and no imported service")
        name = f"{PurePath(values['study']).stem}.toml"
        return PlainTextResponse(
            text,
            media_type="application/toml",
            headers={"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name)}"},
        )

    async def _line(self, request: Request) -> Response:
        """Show the command of a form: at an address that keeps it, unless that would keep a secret."""
        what, values = request.path_params["what"], await _values(request)
        words = await run_in_threadpool(command_line, what, values)
        if masked(words) != words:
            return await run_in_threadpool(self._shown, what, values)
        kept = {name: value for name, value in values.items() if value}
        return RedirectResponse(f"/new/{what}?{urlencode(kept)}", 303)

    async def _call(self, request: Request) -> Response:
        """Make one call, and show the form with it."""
        what, values = request.path_params["what"], await _values(request)
        return await run_in_threadpool(self._shown, what, values, calls=True)

    async def _start(self, request: Request) -> Response:
        what, values = request.path_params["what"], await _values(request)
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

    def _shown(self, what: str, values: Mapping[str, str], *, calls: bool = False) -> Response:
        """Return the form with its values, and its command if what it needs is there; with one call, if it `calls`."""
        words = command_line(what, values)
        form = FORMS[what]
        shown = masked(words)
        offer, wrong = _or_why(lambda: choosing.offered(words, values)) if words and what == "run" else (None, None)
        call, refused = _or_why(lambda: tried(words)) if calls and words and form.calls else (None, None)
        answer = view(
            "new",
            {
                "what": what,
                "forms": FORMS,
                "form": form,
                "groups": form.groups,
                "values": {field.name: values.get(field.name, "") for field in form.fields},
                "studies": names() if what == "run" else [],
                "cards": choosing.studies() if what == "run" and not words else [],
                "offer": offer,
                "wrong": str(wrong or refused or ""),
                "shell": shell(shown) if words else "",
                "query": urlencode({name: value for name, value in values.items() if value}),
                "secret": shown != words,
                "leads": leading.of(form.addresses(values)) if words else [],
                "call": call,
                "serving": self._serving.running() if what == SERVE else [],
            },
            answer_of(refused, "")[1] if refused else 200,
        )
        if words:
            answer.headers["Content-Security-Policy"] = MOVING_POLICY
        return answer


def _or_why(make: Callable[[], _Made]) -> tuple[_Made | None, CallbenchError | None]:
    """Return what a study offers or a server answers, or why there is nothing: a field of the form may mend that."""
    try:
        return make(), None
    except CallbenchError as failure:
        return None, failure


async def _values(request: Request) -> dict[str, str]:
    async with request.form(max_files=0, max_fields=_MOST_FIELDS) as form:
        return choosing.together((name, value) for name, value in form.multi_items() if isinstance(value, str))
