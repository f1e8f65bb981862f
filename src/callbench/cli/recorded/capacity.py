"""A search for a capacity from what was asked to what is shown."""

import sys
from dataclasses import asdict
from pathlib import Path

from callbench.adapter.placement import Placement
from callbench.adapter.stack.target import TargetSpec, open_target
from callbench.analysis.capacity.request import CLIENTS, CapacityRequest
from callbench.catalog.catalogue import Catalogue
from callbench.cli.recorded.command import resumable
from callbench.model.errors import BadInput
from callbench.model.request import is_driver
from callbench.runner.capacity.search import CapacitySearch


def searched(  # noqa: PLR0913 - what is asked, and where
    spec: TargetSpec,
    request: CapacityRequest,
    known: Catalogue,
    where: Placement,
    out: Path | None,
    *,
    resume: bool,
    quiet: bool,
) -> Path:
    """Search for the capacity of a server, or continue that. Returns the folder of the record.

    Raises:
        BadInput: what was asked for is wrong, or the folder is another's.
        CallbenchError: the server cannot be started; the folder cannot be written.
    """
    document = {**asdict(spec), "search": asdict(request.checked())}
    with open_target(spec, known, where) as target:
        if request.along != CLIENTS:
            target.require("open", "--along rate asks for a client with an open loop")
        if request.think_ms:
            target.require("think", "--think needs a client with think time")
        if request.threads > 1 and not is_driver(target.stack.client):
            raise BadInput(f"--threads is for the load driver, but {target.stack.id} has its own clients")
        with resumable("capacity", spec.name, document, out, where, resume=resume, quiet=quiet, partly=True) as (
            run,
            line,
        ):
            search = CapacitySearch(run, target, request, line.show)
            if over := search.over():
                print(f"callbench: {run.path} is finished: {over}", file=sys.stderr)  # noqa: T201
            else:
                search.go()
            return run.path
