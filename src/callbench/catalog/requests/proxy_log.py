"""Lines of access logs in other formats than Apache's: of HAProxy, of Envoy, of AWS's load balancers, and W3C's.

Each is the default of its program, as its manual gives it.
"""

import re
from dataclasses import dataclass

from callbench.model.errors import BadInput

_QUOTED = r'"((?:[^"\\]|\\.)*+)"'
# HAProxy's `option httplog`: client, [time], frontend, backend/server, timers, status, bytes; last, what was asked.
# A line can be long and be none of these, so that what stands before is bounded.
_HAPROXY = re.compile(
    r"(?:.{0,300} )?\S{1,100} \[[^\]]{1,50}\] \S{1,200} \S{1,200}/\S{1,200} "
    rf"[-+\d]+(?:/[-+\d]+){{4}} (-?\d+) \+?\d+ .*? {_QUOTED}"
)
# Envoy's default: [time] "request" status flags. The status is 0 if there was no answer.
_ENVOY = re.compile(rf"\[[^\]]+\] {_QUOTED} (\d+) \S+ .*")
# AWS load balancers: type (classic ones have none), time, balancer, client, target, three times, statuses, sizes,
# "request".
_AWS = re.compile(
    r"(?:(?:https?|h2|grpcs|wss?) )?\d\S+ \S+ \S+ \S+(?: [-.\d]+){3} "
    rf"(\d{{3}}|-) (?:\d{{3}}|-) \d+ \d+ {_QUOTED} .*"
)
_NO_STATUS = "000"
_FIELDS = "#Fields:"


def parts(line: str) -> tuple[str, str] | None:
    """What was asked and the status, of a line of a proxy; None if it is none."""
    match = _ENVOY.fullmatch(line)
    if match is not None:
        return match[1], _three_digits(match[2])
    match = _AWS.fullmatch(line) or _HAPROXY.fullmatch(line)
    return None if match is None else (match[2], _three_digits(match[1]))


def _three_digits(status: str) -> str:
    """The status; without an answer, proxies write 0, -1 or a dash."""
    return status if re.fullmatch(r"[1-9]\d\d", status) else _NO_STATUS


@dataclass(frozen=True)
class W3cFields:
    """The fields of a log in W3C's extended format, as IIS and CloudFront write it.

    Attributes:
        names: of the columns, in order.
    """

    names: tuple[str, ...]

    @staticmethod
    def declared(line: str) -> "W3cFields | None":
        """The fields that a line of the head declares; None if it declares none."""
        return W3cFields(tuple(line.removeprefix(_FIELDS).split())) if line.startswith(_FIELDS) else None

    def parts(self, line: str, place: str) -> tuple[str, str]:
        """What was asked and the status.

        Raises:
            BadInput: the line has other fields, or none for what was asked.
        """
        columns = line.split("\t") if "\t" in line else line.split()
        if len(columns) != len(self.names):
            raise BadInput(f"{place} has {len(columns)} fields, and {_FIELDS} names {len(self.names)}")
        row = dict(zip(self.names, columns, strict=True))
        path, query = row.get("cs-uri-stem", row.get("cs-uri", "-")), row.get("cs-uri-query", "-")
        if "cs-method" not in row or path == "-":
            raise BadInput(f"{place} does not say what was asked; log cs-method and cs-uri-stem")
        target = path if query == "-" else f"{path}?{query}"
        return f"{row['cs-method']} {target}", _three_digits(row.get("sc-status", "-"))
