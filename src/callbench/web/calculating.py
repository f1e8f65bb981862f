"""The calculator: what the stacks of a run cost for so many calls, over a link, at prices, by an advice."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from callbench.model.errors import MachineFailure
from callbench.store.shelf import Shelf
from callbench.web.forms import FormField
from callbench.web.program import said, shell
from callbench.web.reports import Reports, state_of
from callbench.web.views import framed, view

FIELDS = (
    FormField("calls", "Calls a second", "--calls-per-second", "number", hint="1000"),
    FormField("link", "Link", "--link", hint="25ms,20mbit, or a name", many=True),
    FormField("processor", "Price of a processor-hour", "--processor-hour", "number", hint="0.04"),
    FormField("gigabyte", "Price of a gigabyte out", "--gigabyte-out", "number", hint="0.09"),
    FormField("currency", "Currency", "--currency", hint="EUR"),
    FormField("objective", "Objective", "--objective", hint="p99 under 50 ms"),
    FormField("today", "Stack of today", "--today"),
)
# An advice was given; no stack meets the requirements; undecided. Each has a page.
_ENDS = (0, 1, 3)


class Calculating:
    """What the addresses below `/calculator` answer."""

    def __init__(self, shelf: Shelf, reports: Reports) -> None:
        """Calculate from runs of a folder, and keep the pages as those of reports."""
        self._shelf, self._reports = shelf, reports

    def routes(self) -> Sequence[Route]:
        """Return the addresses."""
        return (Route("/calculator", self._form), Route("/calculator/page", self._page))

    def _form(self, request: Request) -> Response:
        run = request.query_params.get("run", "")
        values = {field.name: request.query_params.get(field.name, "").strip() for field in FIELDS}
        path = self._shelf.path(run)
        words = _words(path, _options(values)) if any(values.values()) else []
        given = {name: value for name, value in values.items() if value}
        shown = {
            "run": run,
            "fields": FIELDS,
            "values": values,
            "shell": shell(words) if words else "",
            "page": f"/calculator/page?{urlencode({'run': run, **given})}" if words else "",
        }
        return view("calculator", shown)

    def _page(self, request: Request) -> Response:
        values = {field.name: request.query_params.get(field.name, "").strip() for field in FIELDS}
        return framed(request, lambda: self.page(request.query_params.get("run", ""), _options(values)))

    def page(self, run: str, options: Sequence[str]) -> bytes:
        """Return the page of an advice, which is made anew when its run changes.

        Args:
            run: the name of its record.
            options: of `callbench advise`.

        Raises:
            BadInput: there is none; the sentence is the command's.
            MachineFailure: it took too long, or nothing was written.
        """
        path = self._shelf.path(run)
        words = _words(path, options)

        def make(file: Path) -> None:
            said([*words, "--page", str(file)], _ENDS)
            if not file.is_file():
                raise MachineFailure(f"the calculator wrote no page: `{shell(words)}` says why")

        # An advice also rests on what was measured for it in the run's folder.
        state = [state_of(part) for part in (path, *sorted(path.glob("held-back-*")), path / "sizes")]
        return self._reports.page((path, "advise", *options), state, make)


def _options(values: Mapping[str, str]) -> list[str]:
    """Return what the fields add to a command line.

    Raises:
        BadInput: a value cannot be given.
    """
    return [word for field in FIELDS for word in field.words(values[field.name])]


def _words(run: Path, options: Sequence[str]) -> list[str]:
    """Return the words of the command that says the same, behind `callbench`."""
    return ["advise", str(run), "--no-measure", *options]
