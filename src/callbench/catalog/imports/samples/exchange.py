"""A request with its answer, as a source has them."""

from dataclasses import dataclass

from callbench.model.service.imported import Json


@dataclass(frozen=True, slots=True)
class Exchange:
    """A sample of a call.

    Attributes:
        call: what to call it: the name of a file, or the method with the templated path.
        request: its body; `{}` if it has none.
        answer: likewise; without meaning if `has_answer` is false.
        request_place: where it is, for messages: `order.request.json#`.
        answer_place: likewise.
        has_answer: whether the source gives an answer.
        method: HTTP's, if the source says it.
        path: templated, if the source says it.
        url: as it was recorded, if the source says it.
        bodiless: the request is made of the parameters of path and query, since there is no body.
        parameters: the request is made of parameters or of a form's fields: texts, and lists of texts.
    """

    call: str
    request: Json
    answer: Json
    request_place: str
    answer_place: str
    has_answer: bool = True
    method: str = ""
    path: str = ""
    url: str = ""
    bodiless: bool = False
    parameters: bool = False
