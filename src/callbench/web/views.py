"""The views as HTML: templates that escape everything."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse

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
