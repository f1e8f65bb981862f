"""Which paths are of one endpoint: those that differ in numbers and identifiers alone."""

import re
from urllib.parse import urlsplit

_ID = re.compile(
    r"\d+"  # a number
    r"|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"  # a UUID
    r"|(?=[0-9a-fA-F]*\d)[0-9a-fA-F]{12,}"  # a long hexadecimal number
    r"|(?=[A-Za-z_-]*\d)[0-9A-Za-z_-]{20,}"  # a key such as those of databases and tokens
)
ID = "{id}"


def shape(target: str) -> str:
    """The endpoint of a path with its query: identifiers become `{id}`, and of the query the names stay.

    Args:
        target: begins with /.
    """
    parts = urlsplit(target)
    path = "/".join(ID if _ID.fullmatch(part) else part for part in parts.path.split("/"))
    names = sorted({pair.partition("=")[0] for pair in parts.query.split("&") if pair})
    return f"{path}?{'&'.join(names)}" if names else path
