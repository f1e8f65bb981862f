"""What the addresses below `/api` answer. Their description is one of them."""

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from callbench.model.errors import CallbenchError
from callbench.web.api.commands import Commands
from callbench.web.api.description import description
from callbench.web.api.machine import Machine
from callbench.web.api.messages import Failure
from callbench.web.api.own_services import OwnServices
from callbench.web.api.parts import PageParts
from callbench.web.api.records import Records
from callbench.web.failing import status_of
from callbench.web.guard import cookie_name


class Api:
    """The API of a folder of records."""

    def __init__(self, parts: PageParts) -> None:
        """Answer with what the page has."""
        self._operations = [
            *Records(parts).operations(),
            *Commands(parts).operations(),
            *Machine(parts).operations(),
            *OwnServices(parts).operations(),
        ]

    def application(self) -> Starlette:
        """Return the application, which is mounted at `/api`. It guards nothing itself."""
        return Starlette(
            routes=[Route("/openapi.json", self._describe), *(each.route() for each in self._operations)],
            exception_handlers={CallbenchError: _failed, HTTPException: _not_found},
        )

    def _describe(self, request: Request) -> Response:
        address = f"http://{request.url.netloc}"
        return JSONResponse(description(self._operations, address, cookie_name(request.url.port or 80)))


def _failed(_: Request, failure: Exception) -> Response:
    return _sentence(str(failure), status_of(failure))


def _not_found(_: Request, failure: Exception) -> Response:
    status = failure.status_code if isinstance(failure, HTTPException) else 500
    missing = "there is no such address: /api/openapi.json has them all"
    return _sentence(missing if status == 404 else str(getattr(failure, "detail", failure)), status)


def _sentence(sentence: str, status: int) -> Response:
    return Response(Failure(sentence=sentence).model_dump_json(), status, media_type="application/json")
