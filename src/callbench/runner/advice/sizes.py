"""Measures what a map of payload sizes lacks: the calls of an imported service with payloads of several sizes."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from callbench.analysis.advice.advice import Advice, ordinary
from callbench.catalog.encoders.codings import PLAIN, coding_of
from callbench.catalog.external import OF_STUDY
from callbench.catalog.generator import file as generators
from callbench.catalog.own import folder
from callbench.catalog.own.sizes import Sizes, length, sizes_of
from callbench.catalog.study.loads import Group, LoadPart
from callbench.catalog.study.model import StudyPart
from callbench.model.service.imported import Pair
from callbench.runner.plan import own_service
from callbench.stats.estimate.interval import geometric_mean

# So many stacks have a place on the map.
MOST_STACKS = 16
TITLE = "Payloads of several sizes, for a map of advice"


def stacks(advice: Advice) -> list[str]:
    """Choose the stacks that the map compares: today's, an ordinary one, and the least of each message and coding.

    Another channel changes what a call costs by itself, and hardly what a byte costs.
    """
    values = {name: geometric_mean(list(by_fork.values())).middle for name, by_fork in advice.goals.items()}
    group = _main(advice)
    by_body: dict[tuple[str, str], str] = {}
    for name in sorted(values, key=lambda name: values[name]):
        figures = advice.every[name, group]
        by_body.setdefault((figures.message, coding_of(figures.card)), name)
    wanted = [*ordinary(advice.every, list(values), advice.situation), *_plain_first(by_body)]
    return [name for name in dict.fromkeys(wanted) if not name.startswith(f"{OF_STUDY}/")][:MOST_STACKS]


def _plain_first(by_body: Mapping[tuple[str, str], str]) -> list[str]:
    """Order stacks: each message without a coding, then the best ones of each coding, which share what they save."""
    return [by_body[body] for body in sorted(by_body, key=lambda body: body[1] != PLAIN)]


def lacking(advice: Advice) -> bool:
    """Whether there are stacks to compare, and the map has one size only."""
    return len(stacks(advice)) > 1 and advice.map is not None and advice.map.x.unit != "bytes"


def write(advice: Advice, service: Path, place: Path, minutes: float) -> StudyPart | None:
    """Write a copy of a service whose main call has one payload of each size. Return the study that measures them.

    Args:
        advice: as far as it goes without.
        service: the folder of the service that was measured.
        place: where the copy goes: a folder that is empty or not there.
        minutes: the time for all of it.

    Returns:
        The study; None where no other size can be made.

    Raises:
        BadInput: the folder of the service is wrong, or not there any more.
    """
    names = stacks(advice)
    imported, _ = own_service.read(service)
    named = advice.every[names[0], _main(advice)].call
    call = next((declared for declared in imported.schema.calls if declared.name == named), None)
    if call is None:
        return None
    generator = generators.read(service, imported, call)
    sizes = sizes_of(imported.schema, call, imported.payloads[named], generator)
    if len(sizes.pairs) < 2:
        return None
    folder.write(place, replace(imported, payloads={**imported.payloads, named: tuple(sizes.pairs)}))
    return _study(named, sizes, names, minutes)


def _main(advice: Advice) -> str:
    return max(advice.groups, key=lambda group: advice.groups[group])


def _study(call: str, sizes: Sizes, names: Sequence[str], minutes: float) -> StudyPart:
    made = " Some are made: the same messages with lists or texts of another length." if sizes.made else ""
    groups = [
        Group(group=f"{call}, size {number}", optional=list(names), call=call, arguments={"pair": number}, ledger=True)
        for number in range(1, len(sizes.pairs) + 1)
    ]
    load = LoadPart(clients=[1], calls=_calls(sizes.pairs), seconds=0.1, forks=6, rounds=2, minutes=minutes)
    about = f"{call} with payloads of {len(sizes.pairs)} sizes.{made}"
    return StudyPart(title=TITLE, about=about, load=load, cells=groups)


def _calls(pairs: Sequence[Pair]) -> int:
    return max(1, 100 // math.ceil(max(map(length, pairs)) / 2**15))
