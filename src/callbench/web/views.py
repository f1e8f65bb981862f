"""The views as HTML: templates that escape everything."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse

from callbench.model.errors import CallbenchError
from callbench.web.failing import status_of
from callbench.web.guard import REPORT_POLICY

LOADER = PackageLoader("callbench.web", "templates")


def view(name: str, values: Mapping[str, Any], status: int = 200) -> HTMLResponse:
    """Return a view.

    Args:
        name: of its template, without the ending.
        values: what the template shows.
        status: of the answer.
    """
    return HTMLResponse(_environment().get_template(f"{name}.html.j2").render(values), status)


def part(name: str, values: Mapping[str, Any]) -> str:
    """Return a part of a view, with everything escaped.

    Args:
        name: of its template, without the ending.
        values: what the template shows.
    """
    return _environment().get_template(f"{name}.html.j2").render(values)


def framed(make: Callable[[], bytes]) -> HTMLResponse:
    """Return a report that stands in a frame of a view, or the sentence why there is none."""
    headers = {"Content-Security-Policy": REPORT_POLICY}
    try:
        return HTMLResponse(make(), headers=headers)
    except CallbenchError as failure:
        answer = view("failed", {"sentence": str(failure), "framed": True, "style": style()}, status_of(failure))
        answer.headers.update(headers)
        return answer


def style() -> str:
    """The styles of every view."""
    return LOADER.get_source(_environment(), "page.css")[0]


def script() -> str:
    """The script of the views that move."""
    return LOADER.get_source(_environment(), "moving.js")[0]


@cache
def _environment() -> Environment:
    made = Environment(loader=LOADER, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    made.filters["when"] = lambda stamp: f"{stamp[:16].replace('T', ' ')} UTC" if stamp else "not known"
    return made
