"""What the API does with commands."""

import json

from starlette.responses import PlainTextResponse, Response

from callbench.model.errors import BadInput, NotNow
from callbench.store.served_state import ServedState
from callbench.web import leading
from callbench.web.api.messages import (
    CommandAsked,
    CommandList,
    FormList,
    NothingAsked,
    ShownCommand,
    StartedCommand,
    SwitchAsked,
    WatchedCommand,
)
from callbench.web.api.operation import Operation
from callbench.web.api.parts import PageParts
from callbench.web.api.schemas import PROGRESS
from callbench.web.choosing import PreviewedRun, previewed
from callbench.web.forms import FORMS
from callbench.web.program import TriedCall, shell, tried
from callbench.web.watching import LOG_BYTES, Watched


class Commands:
    """What is done with commands."""

    def __init__(self, parts: PageParts) -> None:
        """Start, watch and stop commands as the page does."""
        self._jobs, self._watching, self._serving = parts.jobs, parts.watching, parts.serving

    def operations(self) -> list[Operation]:
        """Return what can be asked."""
        at, watched = "/commands/{name}", "/watch/{name}"
        return [
            Operation("GET", "/forms", "listForms", self._forms),
            Operation("POST", "/line", "getLine", self._line),
            Operation("POST", "/call", "makeCall", self._call),
            Operation("POST", "/preview", "previewRun", self._preview),
            Operation("GET", "/commands", "listCommands", self._list),
            Operation("POST", "/commands", "startCommand", self._start),
            Operation("GET", at, "getCommand", self._get),
            Operation("POST", f"{at}/stop", "stopCommand", self._stop),
            Operation("POST", f"{at}/resume", "resumeCommand", self._resume, more=[409]),
            Operation("GET", f"{at}/log", "getLog", self._log, media="text/plain"),
            Operation("GET", "/serving/{name}", "getServed", self._served, more=[409]),
            Operation("POST", "/serving/{name}/switch", "switchServed", self._switch, more=[409]),
            Operation("GET", watched, "watchCommand", self._watch),
            Operation("GET", f"{watched}/progress", "getProgress", self._progress, [PROGRESS], more=[409]),
            Operation("GET", f"{watched}/events", "followCommand", self._events, media="text/event-stream", more=[503]),
        ]

    def _forms(self, _: str, __: NothingAsked) -> FormList:
        """List what can be started, with its fields."""
        return FormList.every()

    def _line(self, _: str, asked: CommandAsked) -> ShownCommand:
        """Return the command line of a form. Nothing starts."""
        words = asked.words()
        leads = leading.of(FORMS[asked.command].addresses(asked.values))
        return ShownCommand(words=words, shell=shell(words), leads=leads)

    def _call(self, _: str, asked: CommandAsked) -> TriedCall:
        """Make one call to a server, and return its request and its answer. Nothing is measured."""
        words = asked.words()
        if not FORMS[asked.command].calls:
            raise BadInput(f"{asked.command} makes no single call: `calls` in /api/forms says which do")
        return tried(words)

    def _preview(self, _: str, asked: CommandAsked) -> PreviewedRun:
        """Return what of a study can be chosen, and how long the chosen cells take."""
        words = asked.words()
        if asked.command != "run":
            raise BadInput(f"{asked.command} measures no study: run does")
        return previewed(words)

    def _list(self, _: str, __: NothingAsked) -> CommandList:
        """List what was started, the newest first."""
        return CommandList(commands=[StartedCommand.of(job) for job in self._jobs.jobs()])

    def _start(self, _: str, asked: CommandAsked) -> StartedCommand:
        """Start a command."""
        return StartedCommand.of(self._jobs.start(asked.words()))

    def _get(self, name: str, _: NothingAsked) -> StartedCommand:
        """Return a command that was started."""
        return StartedCommand.of(self._jobs.job(name))

    def _stop(self, name: str, _: NothingAsked) -> StartedCommand:
        """Do what Ctrl-C does: what is known is kept."""
        self._jobs.stop(name)
        return StartedCommand.of(self._jobs.job(name))

    def _resume(self, name: str, _: NothingAsked) -> StartedCommand:
        """Go on with what was stopped or cut off."""
        return StartedCommand.of(self._jobs.resume(name))

    def _log(self, name: str, _: NothingAsked) -> Response:
        """Return the last 256 KiB of what a command has printed so far."""
        with self._jobs.job(name).log.open("rb") as log:
            log.seek(max(0, log.seek(0, 2) - LOG_BYTES))
            return PlainTextResponse(log.read().decode(errors="replace"))

    def _served(self, name: str, _: NothingAsked) -> ServedState:
        """Return what a command serves: its servers with their calls, and addresses with an example call."""
        return self._serving.state(name)

    def _switch(self, name: str, asked: SwitchAsked) -> ServedState:
        """Switch a channel or a stack of a command that serves. Return what is served then."""
        return self._serving.switch(name, asked.part, on=asked.on)

    def _watch(self, name: str, _: NothingAsked) -> WatchedCommand:
        """Return how a command stands."""
        return _stands(self._watching.watched(name))

    def _progress(self, name: str, _: NothingAsked) -> str:
        """Return the progress of a command that runs."""
        document = self._watching.progress(self._watching.watched(name))
        if document is None:
            raise NotNow(f"{name} has no progress: it has ended, or keeps none")
        return json.dumps(document)

    def _events(self, name: str, _: NothingAsked) -> Response:
        """Follow a command by server-sent events.

        The event `progress` has the progress when it changes, or what a command serves.
        The event `ended` has how the command stands then.
        The event `gone` says that its record was renamed or deleted.
        """
        return self._watching.events(name, self._moves, lambda watched: _stands(watched).model_dump_json())

    def _moves(self, watched: Watched) -> str:
        served = self._watching.serves(watched)
        return json.dumps(self._watching.progress(watched)) if served is None else served.model_dump_json()


def _stands(watched: Watched) -> WatchedCommand:
    return WatchedCommand(name=watched.name, record=watched.record, running=watched.running)
