"""Paths with their changing parts as parameters: `/orders/{id}`."""

import re
from urllib.parse import parse_qs, unquote, urlsplit

from callbench.model.service.imported import Json

_CHANGING = re.compile(
    r"\d+|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}|[0-9a-fA-F]{16,}"
    r"|\d{4}-\d\d-\d\d|[^@/]+@[^@/]+\.[^@/]+|eyJ[\w-]+\.[\w-]+\.[\w-]*|(?=[^/]*\d)(?=[^/]*[A-Za-z])[\w-]{20,}"
)


_MOST = 1000
"""Parameters of a query or of a form."""


def parameters(text: str) -> dict[str, Json]:
    """The parameters of a query or the fields of a form. One that occurs several times is a list.

    Raises:
        ValueError: its bytes are no text, or there are too many.
    """
    lists = parse_qs(text, keep_blank_values=True, max_num_fields=_MOST, errors="strict")
    return {name: values[0] if len(values) == 1 else [*values] for name, values in lists.items()}


def template(url: str) -> tuple[str, dict[str, Json]]:
    """The templated path of a URL or a target, and its parameters: those of the path and those of the query.

    Raises:
        ValueError: it is no URL.
    """
    parts = urlsplit(url)
    given: dict[str, Json] = {}
    segments = []
    for segment in parts.path.split("/"):
        if _CHANGING.fullmatch(unquote(segment, errors="strict")):
            name = "id" if "id" not in given else f"id{len(given) + 1}"
            given[name] = unquote(segment, errors="strict")
            segments.append(f"{{{name}}}")
        else:
            segments.append(segment)
    for name, value in parameters(parts.query).items():
        given[name if name not in given or f"{{{name}}}" not in segments else f"query_{name}"] = value
    return "/".join(segments) or "/", given
