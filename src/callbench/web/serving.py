"""The view of a command that serves: what is on, where, how often it was called, and switches."""

import time
from collections.abc import Mapping, Sequence

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from callbench.model.errors import BadInput, MachineFailure, NotNow
from callbench.store.served_state import ServedState, read_state
from callbench.web.jobs import Job, Jobs

# What was ordered is done and written within a second and a half, as the command looks and writes.
_PATIENCE_S = 5.0
_LOOK_S = 0.1
# More parts than this are folded.
_OPEN = 3


class Serving:
    """What is served by commands of the page."""

    def __init__(self, jobs: Jobs) -> None:
        """Show and switch what commands serve."""
        self._jobs = jobs

    def routes(self) -> Sequence[Route]:
        """Return the addresses."""
        return (
            Route("/serve", lambda _: RedirectResponse("/new/serve", 303)),
            Route("/watch/{name}/switch", self._switch, methods=["POST"]),
        )

    def running(self) -> list[tuple[Job, ServedState | None]]:
        """Return the commands that serve, the newest first, each with what it said last."""
        return [(job, read_state(job.status)) for job in self._jobs.jobs() if job.serves and job.running]

    def state(self, name: str) -> ServedState:
        """Return what a command serves.

        Raises:
            BadInput: there is no such command, or it serves nothing.
        """
        job = self._jobs.job(name)
        state = read_state(job.status) if job.serves and job.running else None
        if state is None:
            raise NotNow(f"{name} serves nothing{' yet' if job.serves and job.running else ''}: its log says more")
        return state

    def switch(self, name: str, part: str, *, on: bool) -> ServedState:
        """Switch a part on or off. Return what is served then.

        Raises:
            BadInput: there is no such command or part.
            MachineFailure: the part stays as it was.
        """
        known = self.state(name).part(part)
        if known is None:
            raise BadInput(f"{name} has no part {part!r} to switch")
        if bool(known.endpoints) == on:
            return self.state(name)
        self._jobs.tell(name, f"{'on' if on else 'off'} {part}")
        due = time.monotonic() + _PATIENCE_S
        while time.monotonic() < due:
            state = self.state(name)
            now = state.part(part)
            if now is not None and bool(now.endpoints) == on:
                return state
            time.sleep(_LOOK_S)
        raise MachineFailure(f"{part} of {name} stays as it was: its log says why")

    async def _switch(self, request: Request) -> Response:
        name = request.path_params["name"]
        async with request.form(max_files=0, max_fields=2) as form:
            part, on = str(form.get("part", "")), form.get("on") == "yes"
        await run_in_threadpool(lambda: self.switch(name, part, on=on))
        return RedirectResponse(f"/watch/{name}", 303)


def served(name: str, state: ServedState) -> Mapping[str, object]:
    """Return what the view of one that serves shows."""
    return {"name": name, "state": state, "folded": sum(len(server.parts) for server in state.servers) > _OPEN}
