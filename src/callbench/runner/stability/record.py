"""A record that can be continued with the same options. Each line is on disk before the next step."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from callbench.adapter.placement import Placement
from callbench.analysis.stability.lines import until_s
from callbench.model.errors import BadInput
from callbench.model.secrets import SECRETS, masks_alike
from callbench.runner.machine import environment
from callbench.stats.estimate.digits import given
from callbench.store.head import FILE, as_file, folder, head
from callbench.store.record import Record
from callbench.store.record_writer import RecordWriter


def create_record(
    kind: str, name: str, options: Mapping[str, object], out: Path | None, where: Placement
) -> RecordWriter:
    """Create the record.

    Args:
        kind: the command's.
        name: the stack or URL.
        options: the request, as stored in `record.json`.
        out: None: `runs/KIND-TIME`.
        where: the processors of each side.

    Raises:
        BadInput: the folder exists already.
        CallbenchError: the folder cannot be written.
    """
    hosts = options.get("hosts")
    generators = hosts if isinstance(hosts, tuple) else ()
    return RecordWriter.create(
        folder(out, kind),
        head(kind, f"{kind} of {name}", options),
        {"environment.json": as_file(environment.record(where, generators=generators))},
    )


def create_or_resume(  # noqa: PLR0913 - what is asked, and where
    kind: str, name: str, options: Mapping[str, object], out: Path | None, where: Placement, *, resume: bool
) -> RecordWriter:
    """Create the record, or resume one that was begun with the same options. A search may be given more time.

    Args:
        kind: as in `create_record`.
        name: as in `create_record`.
        options: as in `create_record`.
        out: as in `create_record`.
        where: as in `create_record`.
        resume: whether to resume.

    Raises:
        BadInput: as in `create_record`; or there is no such record, or its options differ.
        CallbenchError: the folder cannot be written.
    """
    if not resume:
        return create_record(kind, name, options, out, where)
    begun, longer_s = begun_with(kind, options, out)
    state = begun.info["state"]
    run = RecordWriter(begun.path)
    if longer_s is not None:
        run.note(
            f"continued with --seconds {given(longer_s)}: it was begun with {given(run.request['search']['seconds'])}"
        )
        run.change_request({**run.request, "search": {**run.request["search"], "seconds": longer_s}})
    elif state != "finished" and until_s(run.lines()):
        run.note("resumed after it was stopped or killed")
    return run


def begun_with(kind: str, options: Mapping[str, object], out: Path | None) -> tuple[Record, float | None]:
    """Find the record to continue, which was begun with the same options. Nothing is changed.

    Returns:
        The record; and the seconds of its search, if more are asked for now.

    Raises:
        BadInput: there is no such record, or its options differ.
    """
    if out is None:
        raise BadInput(f"--resume needs --out: the folder of the {kind} to continue")
    begun = open_record(out, kind)
    # A secret has a mask for each time that it was given.
    before, wanted = (masks_alike(each) for each in (begun.request, SECRETS.masked(dict(options))))
    longer_s = _longer_s(before, wanted)
    if other := list(_different(before, wanted)):
        differ = "differs" if len(other) == 1 else "differ"
        masked = any("***" in json.dumps(before.get(key), default=str) for key in other)
        again = "; *** stands for a secret, which is to be given again" if masked else ""
        raise BadInput(
            f"{out} is another {kind}: its {', '.join(other)} {differ}; give the options that it was begun with,"
            f" as {out / FILE} has them{again}"
        )
    return begun, longer_s


def _longer_s(before: Mapping[str, Any], wanted: dict[str, Any]) -> float | None:
    """Return how long a search may take now, if that is longer than before, and take the time out of what is compared.

    A search is the same one however much time it is given: what was tried stays as true.
    """
    search = wanted.get("search")
    begun = before.get("search") or {}
    if not isinstance(search, Mapping) or "seconds" not in search or "seconds" not in begun:
        return None
    wanted["search"] = {**search, "seconds": begun["seconds"]}
    return float(search["seconds"]) if search["seconds"] > begun["seconds"] else None


def _different(before: Mapping[str, Any], wanted: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names of options that differ; those of a search by their own names."""
    for key in sorted(wanted):
        old, new = before.get(key), wanted[key]
        if old == new:
            continue
        if key == "search" and isinstance(old, Mapping):
            yield from sorted(name for name in new if old.get(name) != new[name])
        else:
            yield key


def open_record(path: Path, kind: str) -> Record:
    """Open a record of a kind.

    Raises:
        BadInput: it is something else.
    """
    run = Record(path)
    if run.kind != kind:
        raise BadInput(f"{path} is not a record of `callbench {kind}`: record.json says {run.kind}")
    return run
