"""What `callbench list` lists. A row is the same for people and programs."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from callbench.catalog.catalogue import Catalogue
    from callbench.catalog.lacking import LackingCells

Rows = Sequence[Mapping[str, object]]
COLUMNS: Mapping[str, Sequence[str]] = {
    "stacks": ("id", "message", "channel", "language", "library", "version", "available", "why_not"),
    "calls": ("call", "arguments", "answer"),
    "studies": ("study", "title", "parameters", "why_not"),
    "links": ("link", "to_server", "to_client", "maker", "about", "why_not"),
    "payloads": ("payloads", "about"),
}
CALLS: Sequence[Mapping[str, str]] = (
    {"call": "Empty", "arguments": "", "answer": "nothing"},
    {"call": "Send", "arguments": "type, and value; or content, count, seed", "answer": "nothing"},
    {"call": "Sum", "arguments": "a, b", "answer": "int"},
    {"call": "GetPersons", "arguments": "n", "answer": "n persons"},
    {"call": "GetBinaryData", "arguments": "size, fill (article, random, zero, text)", "answer": "bytes"},
    {"call": "EchoStructure", "arguments": "n", "answer": "the structure that was sent"},
    {"call": "EchoString", "arguments": "value; or content, count, seed", "answer": "the string that was sent"},
    {"call": "Hello", "arguments": "", "answer": "Hello World"},
    {"call": "FindItems", "arguments": "n", "answer": "a search result of n items"},
)
"""The calls of the service, with their arguments and answers."""


def stacks(catalogue: "Catalogue", *, instruments: bool = False) -> list[dict[str, object]]:
    """Every stack with its card; the instruments, which are not there to be compared, if they are asked for."""
    return [
        {
            "id": stack.id,
            "message": stack.message,
            "channel": stack.channel,
            "language": stack.language,
            "library": stack.library,
            "version": stack.version,
            "available": stack.available,
            "why_not": stack.why_not,
            "instrument": stack.instrument,
            "card": dict(stack.card),
            "lacks": dict(stack.lacks),
        }
        for stack in catalogue.listed
        if instruments or not stack.instrument
    ]


@dataclass(frozen=True)
class StudyRow:
    """A study that comes along; one that cannot be read has its name and the reason.

    Attributes:
        lacking: what of it cannot run here.
        why_not: why nothing of it can.
    """

    study: str
    title: str | None = None
    about: str | None = None
    parameters: Mapping[str, object] = field(default_factory=dict)
    cells: int = 0
    lacking: "Sequence[LackingCells]" = ()
    why_not: str | None = None


def studies(catalogue: "Catalogue") -> list[dict[str, object]]:
    """Every study that comes along, with what of it cannot run here; one that cannot at all says why."""
    from callbench.catalog.study import names

    return [asdict(_study(name, catalogue)) for name in names()]


def _study(name: str, catalogue: "Catalogue") -> StudyRow:
    from callbench.catalog.lacking import lacking
    from callbench.catalog.study import load
    from callbench.model.errors import CallbenchError

    try:
        study = load(name)
        cells = study.cells(catalogue.every, quick=True)
    except CallbenchError as failure:
        return StudyRow(name, why_not=str(failure))
    lacks = lacking(cells, catalogue)
    nothing_runs = sum(lack.cells for lack in lacks) == len(cells)
    why_not = "; ".join(lack.why for lack in lacks) if nothing_runs else None
    return StudyRow(
        name, study.title, study.about, dict(study.parameters), cells=len(cells), lacking=lacks, why_not=why_not
    )


@dataclass(frozen=True)
class LinkRow:
    """A link that comes along: whether it can be made here, and who makes it."""

    link: str
    about: str
    to_server: str = ""
    to_client: str = ""
    usable: bool = True
    why_not: str | None = None
    maker: str | None = None
    why_emulated: str | None = None
    source: str = ""


def links() -> list[dict[str, object]]:
    """Every link that comes along, each tried out."""
    from callbench.adapter.network import creation
    from callbench.catalog.links import profile
    from callbench.catalog.reach import LOOPBACK

    listed = [LinkRow(LOOPBACK, "client and server on this machine")]
    for name, link in profile.builtin_links().items():
        attempt = creation.try_link(link.wire)
        listed.append(
            LinkRow(
                name,
                link.about,
                to_server=link.describe("to_server"),
                to_client=link.describe("to_client"),
                usable=attempt.maker is not None,
                why_not=attempt.why_not,
                maker=attempt.maker,
                why_emulated=attempt.why if attempt.maker else None,
                source=link.source,
            )
        )
    return [asdict(link) for link in listed]


def payloads() -> list[dict[str, str]]:
    """Each with one sentence."""
    from callbench.catalog.imports.fleet import named

    return [{"payloads": name, "about": about} for name, about in named.names().items()]
