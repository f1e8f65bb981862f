"""What the API does with services of one's own."""

import base64
import binascii
import io
from typing import Annotated, BinaryIO, Literal

from pydantic import BaseModel, Field

from callbench.model.errors import BadInput
from callbench.web.api.messages import AskedMessage, NothingAsked
from callbench.web.api.operation import Operation
from callbench.web.api.parts import PageParts
from callbench.web.services import ImportedService


class GivenFile(AskedMessage):
    """A file of a service."""

    name: Annotated[str, Field(description="with its ending, such as orders.proto")]
    content: str
    encoding: Annotated[Literal["text", "base64"], Field(description="of the content")] = "text"

    def opened(self) -> tuple[str, BinaryIO]:
        """Return its name and its content.

        Raises:
            BadInput: the content is not in base64.
        """
        if self.encoding == "text":
            return self.name, io.BytesIO(self.content.encode())
        try:
            return self.name, io.BytesIO(base64.b64decode(self.content, validate=True))
        except binascii.Error as failure:
            raise BadInput(f"files: the content of {self.name} is not in base64: {failure}") from failure


class ServiceAsked(AskedMessage):
    """Files to import, of 1 MiB together at most."""

    files: Annotated[list[GivenFile], Field(description="documents or samples")]
    answers: list[GivenFile] = Field(
        default_factory=list, description="answers in JSON, of calls whose samples are requests alone"
    )


class ServiceName(BaseModel):
    """Which service it was done to."""

    name: str


class ServiceList(BaseModel):
    """Services, the newest first."""

    services: list[str]


class OwnServices:
    """What is done with services of one's own."""

    def __init__(self, parts: PageParts) -> None:
        """Work on what the page shows."""
        self._services = parts.services

    def operations(self) -> list[Operation]:
        """Return what can be asked."""
        at = "/services/{name}"
        return [
            Operation("GET", "/services", "listServices", self._list),
            Operation("POST", "/services", "importService", self._take, more=[409]),
            Operation("GET", at, "getService", self._get),
            Operation("POST", f"{at}/remove", "removeService", self._remove),
        ]

    def _list(self, _: str, __: NothingAsked) -> ServiceList:
        """List the services that were imported here."""
        return ServiceList(services=self._services.names())

    def _take(self, _: str, asked: ServiceAsked) -> ServiceName:
        """Import a service with `callbench import`. The files are not kept."""
        files, answers = ([file.opened() for file in given] for given in (asked.files, asked.answers))
        return ServiceName(name=self._services.take(files, answers))

    def _get(self, name: str, _: NothingAsked) -> ImportedService:
        """Return what was understood of a service."""
        return self._services.service(name)

    def _remove(self, name: str, _: NothingAsked) -> ServiceName:
        """Remove a service."""
        self._services.remove(name)
        return ServiceName(name=name)
