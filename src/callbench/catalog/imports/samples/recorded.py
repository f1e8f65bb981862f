"""A recorded HTTP request and its answer as a sample, or why it is none. HAR files and captures share it."""

from dataclasses import dataclass

from callbench.catalog.imports.samples import body
from callbench.catalog.imports.samples.exchange import Exchange
from callbench.catalog.imports.samples.left_out import LeftOut
from callbench.catalog.imports.samples.templates import parameters, template
from callbench.model.errors import BadInput
from callbench.model.service.imported import Json

PARAMETERS_BESIDE_A_BODY = "parameters in the address of a request that has a body"
FORM = "application/x-www-form-urlencoded"
_METHODS = {"GET", "POST", "PUT", "PATCH", "DELETE", "QUERY"}


@dataclass(frozen=True, slots=True)
class RecordedExchange:
    """One request with its answer.

    Attributes:
        place: where it is, for messages: `shop.har#/log/entries/3`.
        url: whole, or the path with its query.
        request_type: the media type; empty if it has none.
        request: its body.
        status: of the answer.
        answer_type: its media type.
        answer: its body.
    """

    place: str
    method: str
    url: str
    request_type: str
    request: bytes
    status: int
    answer_type: str
    answer: bytes


def sample(recorded: RecordedExchange, left_out: LeftOut) -> Exchange | None:
    """The sample; None if it is none, which is counted."""
    why = _why_not(recorded)
    if why:
        left_out.count(why)
        return None
    try:
        path, given = template(recorded.url)
        request_place, answer_place = f"{recorded.place} request#", f"{recorded.place} answer#"
        answer = body.parsed(recorded.answer, answer_place) if recorded.answer.strip() else {}
        request = _request(recorded, request_place, given)
    except BadInput as error:
        left_out.count(f"request whose bodies cannot be taken ({str(error)[:200].rstrip('.')})")
        return None
    except ValueError:
        left_out.count("request with an address or a form that cannot be read")
        return None
    if given and recorded.request.strip():
        left_out.count(PARAMETERS_BESIDE_A_BODY)
    name = f"{recorded.method.lower()} {path}"
    return Exchange(
        name,
        request,
        answer,
        request_place,
        answer_place,
        method=recorded.method,
        path=path,
        url=recorded.url,
        bodiless=not recorded.request.strip(),
        parameters=not recorded.request.strip() or FORM in recorded.request_type,
    )


def _request(recorded: RecordedExchange, place: str, given: dict[str, Json]) -> Json:
    if not recorded.request.strip():
        return given
    if FORM in recorded.request_type:
        return parameters(recorded.request.decode())
    return body.parsed(recorded.request, place)


def _why_not(recorded: RecordedExchange) -> str:
    if recorded.method not in _METHODS:
        return f"{recorded.method[:20]} request, which is no call"
    if not 200 <= recorded.status < 300:
        return f"answer with status {recorded.status}"
    if recorded.request.strip() and not (FORM in recorded.request_type or is_json(recorded.request_type)):
        return f"request with a body that is no JSON ({recorded.request_type[:40] or 'no media type'})"
    if recorded.answer.strip() and not is_json(recorded.answer_type):
        return f"answer that is no JSON ({recorded.answer_type[:40] or 'no media type'})"
    if not recorded.answer.strip() and not recorded.request.strip():
        return "request without any body"
    return ""


def is_json(media_type: str) -> bool:
    """Whether a body of this type is JSON."""
    kind = media_type.split(";", maxsplit=1)[0].strip().lower()
    return kind.endswith(("/json", "+json")) or kind == "text/json"
