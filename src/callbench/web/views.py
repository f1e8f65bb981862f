"""The views as HTML: templates that escape everything."""

import re
from collections.abc import Callable, Mapping
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from callbench.web.failing import FAILURES, answer_of
from callbench.web.guard import FRAME_SCRIPTS, POLICY, REPORT_POLICY, scripted_policy

LOADER = PackageLoader("callbench.web", "templates")
_BODY = re.compile(rb"<body[^>]*>")


def view(name: str, values: Mapping[str, object], status: int = 200, *, policy: str = POLICY) -> HTMLResponse:
    """Return a view.

    Args:
        name: of its template, without the ending.
        values: what the template shows.
        status: of the answer.
        policy: which of the page's own scripts may run in it; as a rule none.
    """
    return HTMLResponse(part(name, values), status, {"Content-Security-Policy": policy})


def part(name: str, values: Mapping[str, object]) -> str:
    """Return a part of a view, with everything escaped.

    Args:
        name: of its template, without the ending.
        values: what the template shows.
    """
    return _environment().get_template(f"{name}.html.j2").render(values)


def framed(request: Request, make: Callable[[], bytes]) -> HTMLResponse:
    """Return a report that stands in a frame of a view, or the sentence why there is none."""
    try:
        page = beginning(make(), reading("/"))
    except FAILURES as failure:
        sentence, status = answer_of(failure, "")
        return view("failed", {"sentence": sentence, "framed": True, "style": style()}, status, policy=REPORT_POLICY)
    policy = scripted_policy(str(request.base_url).rstrip("/"))
    return HTMLResponse(page, headers={"Content-Security-Policy": policy})


def beginning(page: bytes, with_: str) -> bytes:
    """Return a report with something before all else that it shows."""
    return _BODY.sub(lambda match: match[0] + with_.encode(), page, count=1)


def reading(at: str) -> str:
    """Return what lets a report's tables be sorted and filtered, and its charts be pointed at.

    Args:
        at: the folder of the scripts, with a slash at its end.
    """
    scripts = [script_.removeprefix("/") for script_ in FRAME_SCRIPTS]
    return part("reading", {"style": asset("reading.css"), "at": at, "scripts": scripts})


def style() -> str:
    """The styles of every view, and of the fields above its tables."""
    return asset("page.css") + asset("reading.css")


def script(name: str) -> Response:
    """Return one of the scripts: `moving.js`."""
    return Response(asset(name), media_type="text/javascript")


def asset(name: str) -> str:
    """Read a file that stands beside the templates."""
    return LOADER.get_source(_environment(), name)[0]


@cache
def _environment() -> Environment:
    made = Environment(loader=LOADER, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    made.filters["when"] = lambda stamp: f"{stamp[:16].replace('T', ' ')} UTC" if stamp else "not known"
    made.filters["commands"] = with_commands
    return made


def with_commands(sentence: str) -> Markup:
    """Return a sentence of a command, in which the commands that stand between backticks look like commands."""
    parts = enumerate(sentence.split("`"))
    return Markup().join(Markup("<code>{}</code>").format(text) if place % 2 else text for place, text in parts)
