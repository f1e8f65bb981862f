"""One operation of the API: its address, what it asks and answers, and how a request becomes its answer."""

import inspect
import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, cast, get_type_hints

from pydantic import BaseModel, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from callbench.model import machine_limits
from callbench.model.errors import BadInput
from callbench.store.packed import MOST_BYTES
from callbench.web.api.messages import NothingAsked

JSON = "application/json"
ZIP = "application/zip"
_MOST_JSON_BYTES = 1 << 20
# A message, the text of a JSON document that a command printed, or an answer that is complete.
Result = BaseModel | str | Response


@dataclass(frozen=True)
class Operation:
    """One operation. A GET has what it asks in its query, a POST in a JSON object.

    Attributes:
        method: `GET` or `POST`.
        path: below `/api`.
        id: its name for programs.
        work: does it, given the name in the address and what is asked; may take its time. Its docstring and the types
            of what it takes and returns are its description.
        prints: names of components, where it returns what commands print.
        media: of the answer.
        more: statuses of answers that come besides those that its address and its method have.
    """

    method: str
    path: str
    id: str
    work: Callable[[str, Any], Result]
    prints: Sequence[str] = ()
    media: str = JSON
    more: Sequence[int] = ()

    @property
    def about(self) -> str:
        """What it does."""
        return inspect.getdoc(self.work) or ""

    @property
    def asks(self) -> type[BaseModel]:
        """The type of what it asks."""
        _, of, _ = get_type_hints(self.work).values()
        return cast("type[BaseModel]", of)

    @property
    def answers(self) -> type[BaseModel] | None:
        """The type of its answer; None where it is no message."""
        of = get_type_hints(self.work)["return"]
        return of if issubclass(of, BaseModel) else None

    def route(self) -> Route:
        """Return its address."""
        return Route(self.path, self._answer, methods=[self.method])

    async def _answer(self, request: Request) -> Response:
        asked = await self._asked(request)
        return _response(await run_in_threadpool(self.work, str(request.path_params.get("name", "")), asked))

    async def _asked(self, request: Request) -> BaseModel:
        if self.method == "GET":
            pairs = request.query_params.multi_items()
            given: Any = dict(pairs)
            if len(given) != len(pairs):
                raise BadInput("the query has a name twice: give each once")
        elif self.asks is NothingAsked:
            given = {}
        else:
            given = await _json_of(request)
        try:
            return self.asks.model_validate(given)
        except ValidationError as failure:
            raise BadInput(_sentence(failure)) from failure


@dataclass(frozen=True)
class Upload:
    """An operation that takes a file as it is.

    Attributes:
        path: below `/api`.
        id: its name for programs.
        work: gets the file, which is gone afterwards. Its docstring and the type that it returns are its description.
    """

    path: str
    id: str
    work: Callable[[BinaryIO], BaseModel]

    @property
    def about(self) -> str:
        """What it does."""
        return inspect.getdoc(self.work) or ""

    @property
    def answers(self) -> type[BaseModel]:
        """The type of its answer."""
        return cast("type[BaseModel]", get_type_hints(self.work)["return"])

    def route(self) -> Route:
        """Return its address."""
        return Route(self.path, self._answer, methods=["POST"])

    async def _answer(self, request: Request) -> Response:
        _check_media(request, ZIP)
        size = 0
        with tempfile.TemporaryFile() as file:
            try:
                async for piece in request.stream():
                    size += len(piece)
                    if size > MOST_BYTES:
                        raise BadInput(f"the file is no packed record: it has more than {MOST_BYTES >> 30} GiB")
                    file.write(piece)
                file.seek(0)
            except OSError as failure:
                raise machine_limits.written("cannot keep the file", failure) from failure
            return _response(await run_in_threadpool(self.work, file))


async def _json_of(request: Request) -> object:
    _check_media(request, JSON)
    content = bytearray()
    async for piece in request.stream():
        content += piece
        if len(content) > _MOST_JSON_BYTES:
            raise BadInput(f"the request is too long: at most {_MOST_JSON_BYTES >> 20} MiB of JSON are read")
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as failure:
        raise BadInput(f"the request is not JSON: {failure}") from failure


def _check_media(request: Request, wanted: str) -> None:
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media != wanted:
        raise BadInput(f"the request is {media or 'of no type'}: send it with `Content-Type: {wanted}`")


def _sentence(failure: ValidationError) -> str:
    """Return what is wrong first, with its place."""
    first = failure.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(map(str, first["loc"])) or "the request"
    return f"{place}: {first['msg'][:1].lower()}{first['msg'][1:]}"


def _response(result: Result) -> Response:
    if isinstance(result, Response):
        return result
    return Response(result if isinstance(result, str) else result.model_dump_json(), media_type=JSON)
