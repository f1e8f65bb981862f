"""Paths with their changing parts as parameters: `/orders/{id}`."""

import re
from urllib.parse import parse_qsl, unquote, urlsplit

_CHANGING = re.compile(
    r"\d+|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}|[0-9a-fA-F]{16,}"
    r"|\d{4}-\d\d-\d\d|[^@/]+@[^@/]+\.[^@/]+|eyJ[\w-]+\.[\w-]+\.[\w-]*|(?=[^/]*\d)(?=[^/]*[A-Za-z])[\w-]{20,}"
)


def template(url: str) -> tuple[str, dict[str, str]]:
    """The templated path of a URL or a target, and its parameters: those of the path and those of the query.

    Raises:
        ValueError: it is no URL.
    """
    parts = urlsplit(url)
    parameters: dict[str, str] = {}
    segments = []
    for segment in parts.path.split("/"):
        if _CHANGING.fullmatch(unquote(segment)):
            name = "id" if "id" not in parameters else f"id{len(parameters) + 1}"
            parameters[name] = unquote(segment)
            segments.append(f"{{{name}}}")
        else:
            segments.append(segment)
    for name, value in parse_qsl(parts.query, keep_blank_values=True, max_num_fields=1000):
        parameters[name if name not in parameters or f"{{{name}}}" not in segments else f"query_{name}"] = value
    return "/".join(segments) or "/", parameters
