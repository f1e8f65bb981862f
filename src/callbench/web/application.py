"""The addresses of the page, and what each answers."""

import shlex
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route

from callbench.analysis.history.order import SeriesOrder
from callbench.model.errors import BadInput
from callbench.store import packed
from callbench.store.packed import MOST_BYTES
from callbench.store.shelf import Shelf
from callbench.web.api.application import Api
from callbench.web.api.parts import PageParts
from callbench.web.calculating import Calculating
from callbench.web.comparing import Comparing
from callbench.web.exporting import exported
from callbench.web.failing import FAILURES, answer_of
from callbench.web.guard import FRAME_SCRIPTS, READING_POLICY
from callbench.web.histories import Histories, shown
from callbench.web.hosts import OtherMachines
from callbench.web.jobs import Jobs
from callbench.web.latencies import Latencies
from callbench.web.program import parsed, shell
from callbench.web.reports import Reports, beside, stacks_of
from callbench.web.service_views import ServiceViews
from callbench.web.services import Services
from callbench.web.serving import Serving
from callbench.web.settings import Settings
from callbench.web.starting import Starting
from callbench.web.views import framed, script, style, view
from callbench.web.watching import Watching

_Result = TypeVar("_Result")


class Pages:
    """What each address answers, of one folder of records."""

    def __init__(self, shelf: Shelf, kept: Path, ending: Callable[[], bool] = lambda: False) -> None:
        """Show a folder of records.

        Args:
            shelf: the records.
            kept: a folder for what goes with the server.
            ending: whether the server is about to end.
        """
        jobs, reports, services = Jobs(shelf), Reports(kept), Services(shelf.folder)
        self._shelf, self._reports = shelf, reports
        self._parts = parts = PageParts(
            shelf=shelf,
            kept=kept,
            jobs=jobs,
            reports=reports,
            histories=Histories(shelf),
            comparing=Comparing(shelf),
            watching=Watching(shelf, jobs, ending),
            settings=Settings(jobs),
            serving=Serving(jobs),
            hosts=OtherMachines(),
            services=services,
        )
        self._views = (
            Latencies(shelf, reports),
            Calculating(shelf, reports),
            Starting(jobs, parts.serving),
            ServiceViews(services),
            *(parts.comparing, parts.watching, parts.settings, parts.serving, parts.hosts),
        )

    def application(self) -> Starlette:
        """Return the application. It guards nothing itself."""
        return Starlette(
            routes=[
                Route("/", self._records),
                Route("/style.css", lambda _: Response(style(), media_type="text/css")),
                *(
                    Route(path, lambda request: script(request.url.path[1:]))
                    for path in ("/framing.js", *FRAME_SCRIPTS)
                ),
                Route("/history", self._history),
                Route("/import", self._import, methods=["POST"]),
                Route("/records/{name}", partial(self._read, part="report")),
                Route("/records/{name}/report", self._report),
                Route("/records/{name}/cells", partial(self._read, part="cells/page")),
                Route("/records/{name}/cells/page", partial(self._report, cells=True)),
                Route("/records/{name}/export", self._export),
                Route("/records/{name}/name", self._rename, methods=["POST"]),
                Route("/records/{name}/tags", self._tag, methods=["POST"]),
                Route("/records/{name}/delete", self._ask_to_delete, methods=["GET"]),
                Route("/records/{name}/delete", self._delete, methods=["POST"]),
                *(route for view_ in self._views for route in view_.routes()),
                Mount("/api", Api(self._parts).application()),
            ],
            exception_handlers=dict.fromkeys(FAILURES, _failed),
        )

    def _records(self, request: Request) -> Response:
        asked = {name: request.query_params.get(name, "").strip() for name in ("q", "kind", "state", "tag")}
        every = self._shelf.entries()
        fitting = [record for record in every if record.fits(**asked)]
        return view(
            "records",
            {
                "asked": asked,
                "folder": str(self._shelf.folder),
                "every": every,
                "shown": [(record, self._reports.verdict(self._shelf.folder / record.name)) for record in fitting],
                "kinds": sorted({record.kind for record in every}),
                "states": sorted({record.state for record in every}),
                "tags": sorted({tag for record in every for tag in record.tags}),
            },
        )

    def _history(self, request: Request) -> Response:
        asked = request.query_params.get("q", "").strip()
        order = SeriesOrder.COMMIT if request.query_params.get("by") == SeriesOrder.COMMIT else SeriesOrder.TIME
        found = shown(parsed(self._parts.histories.text(order)), _address, asked)
        return view("history", {"asked": asked, **found}, policy=READING_POLICY)

    def _read(self, request: Request, *, part: str) -> Response:
        entry = self._shelf.entry(request.path_params["name"])
        path = self._shelf.folder / entry.name
        asked = request.query_params.get("beside", "")
        values = {
            "entry": entry,
            "part": part,
            "shell": shlex.quote(str(path)),
            "report": shell(["report", str(path), *beside(asked)]),
            "beside": asked,
            "stacks": stacks_of(path),
        }
        return view("record", values, policy=READING_POLICY)

    def _report(self, request: Request, *, cells: bool = False) -> Response:
        options = ["--cells"] if cells else beside(request.query_params.get("beside", ""))
        return framed(request, lambda: self._reports.written(self._shelf.path(request.path_params["name"]), options))

    def _export(self, request: Request) -> Response:
        return exported(self._shelf.path(request.path_params["name"]), self._parts.kept)

    async def _import(self, request: Request) -> Response:
        if int(request.headers.get("content-length", "0")) > MOST_BYTES:
            raise BadInput(f"the file is no packed record: it has more than {MOST_BYTES >> 30} GiB")

        def unpacked(form: FormData) -> str:
            file = form.get("file")
            if not isinstance(file, UploadFile) or not file.filename:
                raise BadInput("no file was chosen: choose one that `Export` of a record gave")
            return packed.unpack(file.file, self._shelf)

        return _see(await _with_form(request, unpacked))

    async def _rename(self, request: Request) -> Response:
        name = request.path_params["name"]

        def renamed(form: FormData) -> str:
            to = str(form.get("name", "")).strip()
            self._shelf.rename(name, to)
            return to

        return _see(await _with_form(request, renamed))

    async def _tag(self, request: Request) -> Response:
        name = request.path_params["name"]
        await _with_form(request, lambda form: self._shelf.tag(name, str(form.get("tags", "")).split(",")))
        return _see(name)

    def _ask_to_delete(self, request: Request) -> Response:
        return view("delete", {"entry": self._shelf.entry(request.path_params["name"])})

    async def _delete(self, request: Request) -> Response:
        name = request.path_params["name"]

        def deleted(form: FormData) -> None:
            if form.get("sure") != "yes":
                raise BadInput(f"record {name} is kept: deleting it has to be confirmed in its box")
            self._shelf.remove(name)

        await _with_form(request, deleted)
        return RedirectResponse("/", 303)


async def _with_form(request: Request, work: Callable[[FormData], _Result]) -> _Result:
    """Read the form of a request, and do the work with it beside other requests."""
    async with request.form(max_files=1, max_fields=20) as form:
        return await run_in_threadpool(work, form)


def _see(name: str) -> Response:
    return RedirectResponse(_address(name), 303)


def _address(name: str) -> str:
    """Return the address of a record."""
    return f"/records/{quote(name, safe='')}"


def _failed(_: Request, failure: Exception) -> Response:
    sentence, status = answer_of(failure, "There is no such page.")
    return view("failed", {"sentence": sentence, "framed": False, "style": ""}, status)
