"""The views of services of one's own: files are dropped, and what was understood is shown."""

from collections.abc import Sequence
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from callbench.model.errors import BadInput
from callbench.web.services import MOST_BYTES, MOST_FILES, Services, in_terminal
from callbench.web.views import view

# A form has more bytes than its files: the lines between them.
_BETWEEN = 1 << 16
_MOST_ROWS = 200


class ServiceViews:
    """What the addresses below `/services` answer."""

    def __init__(self, services: Services) -> None:
        """Show services."""
        self._services = services

    def routes(self) -> Sequence[Route]:
        """Return the addresses."""
        return (
            Route("/services", self._list, methods=["GET"]),
            Route("/services", self._take, methods=["POST"]),
            Route("/services/{name}", self._show, methods=["GET"]),
            Route("/services/{name}/remove", self._remove, methods=["POST"]),
        )

    def _list(self, _: Request) -> Response:
        values = {"names": self._services.names(), "files": MOST_FILES, "mib": MOST_BYTES >> 20}
        return view("services", values)

    async def _take(self, request: Request) -> Response:
        length = request.headers.get("content-length", "")
        if not length.isdigit() or int(length) > MOST_BYTES + _BETWEEN:
            raise BadInput(f"the files are too large: at most {MOST_BYTES >> 20} MiB are imported")
        async with request.form(max_files=2 * MOST_FILES, max_fields=5) as form:
            files, answers = _uploaded(form, "files"), _uploaded(form, "answers")
            name = await run_in_threadpool(
                self._services.take,
                [(file.filename or "", file.file) for file in files],
                [(file.filename or "", file.file) for file in answers],
            )
        return RedirectResponse(f"/services/{name}", 303)

    def _show(self, request: Request) -> Response:
        name = request.path_params["name"]
        service = self._services.service(name)
        return view(
            "service",
            {
                "name": name,
                "service": service,
                "most": _MOST_ROWS,
                "terminal": in_terminal(service),
                "advice": urlencode({"of": service.folder}),
            },
        )

    async def _remove(self, request: Request) -> Response:
        await run_in_threadpool(self._services.remove, request.path_params["name"])
        return RedirectResponse("/services", 303)


def _uploaded(form: FormData, name: str) -> list[UploadFile]:
    """Return the files of a field. A field in which nothing was chosen sends one without a name."""
    return [file for file in form.getlist(name) if isinstance(file, UploadFile) and file.filename]
