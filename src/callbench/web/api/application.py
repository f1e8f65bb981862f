"""What the addresses below `/api` answer. Their description is one of them."""

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from callbench.web.api.commands import Commands
from callbench.web.api.description import description
from callbench.web.api.machine import Machine
from callbench.web.api.messages import Failure
from callbench.web.api.own_services import OwnServices
from callbench.web.api.parts import PageParts
from callbench.web.api.records import Records
from callbench.web.failing import FAILURES, answer_of
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
            exception_handlers=dict.fromkeys(FAILURES, _failed),
        )

    def _describe(self, request: Request) -> Response:
        address = f"http://{request.url.netloc}"
        return JSONResponse(description(self._operations, address, cookie_name(request.url.port or 80)))


def _failed(_: Request, failure: Exception) -> Response:
    sentence, status = answer_of(failure, "there is no such address: /api/openapi.json has them all")
    return Response(Failure(sentence=sentence).model_dump_json(), status, media_type="application/json")
