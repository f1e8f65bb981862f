"""Every kind of record but a run of a study and a comparison: its report is the function of the module `KIND_report`.

There is no list: a kind is there when its module is. Only that one is imported when a record is shown.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import cast

from callbench import report
from callbench.model.errors import BadInput
from callbench.report.record_report import RecordReport
from callbench.store.record import Record

_MODULE = re.compile(r"([a-z_]+)_report")


@cache
def kinds() -> Mapping[str, str]:
    """Return the module of each kind."""
    files = Path(report.__path__[0]).glob("*/*_report.py")
    matches = ((_MODULE.fullmatch(file.stem), file) for file in files)
    return {match[1]: f"{report.__name__}.{file.parent.name}.{file.stem}" for match, file in matches if match}


def report_of(run: Record) -> RecordReport:
    """Return the report of a record.

    Raises:
        BadInput: it is of a kind that this version does not know, or damaged.
    """
    module = kinds().get(run.kind)
    if module is None:
        raise BadInput(f"{run.path} is a record of the kind {run.kind}, which this Callbench does not know")
    make = cast("Callable[[Record], RecordReport]", getattr(import_module(module), f"{run.kind}_report"))
    made = make(run)
    environment = run.environment()
    if "hosts" not in environment:
        return made
    from callbench.report.text.hosts import hosts_section

    hosts = hosts_section(environment, run.info.get("lost_hosts", {}), {})
    return replace(made, sections=[*made.sections, *([hosts] if hosts else [])])
