"""What is compared: the two operands of the command line, each stacks with the program that runs them, or a run."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from callbench.catalog import catalogue, manifest, mixed
from callbench.catalog.manifest import Programs
from callbench.model import request
from callbench.model.cell import MIXED, Stack
from callbench.model.errors import BadInput
from callbench.model.request import only_call
from callbench.model.suggestions import unknown

HOW = (
    "give a stack or a glob (native/json+tcp), a stack with another build of its adapter (native/json+tcp@FOLDER or"
    " @PROGRAM), an adapter's folder, or a run's folder"
)
_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?")


@dataclass(frozen=True)
class Contender:
    """One stack and the build that runs it, on both sides unless it is mixed.

    Attributes:
        options: what its server is started with, beside what it does by itself.
    """

    stack: Stack
    programs: Programs
    options: Mapping[str, float] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The stack's name without its adapter."""
        return self.stack.id.partition("/")[2]


def is_run(text: str) -> bool:
    """Say whether an operand is a run's folder."""
    return (Path(text) / "run.json").is_file()


def contenders(text: str, known: catalogue.Catalogue) -> list[Contender]:
    """Find the stacks that an operand means.

    Raises:
        BadInput: there are none, or they cannot run here.
    """
    text, asked, rest = text.partition("?")
    options = _options(rest) if asked else {}
    named, at, place = text.partition("@")
    path = Path(place if at else named)
    if at:
        found = _elsewhere(named, path, known)
    elif _manifest_in(path) is not None:
        found = _of(path, known)
    else:
        found = _known(named, known)
    for one in found:
        why = one.stack.why_not or next(
            filter(None, map(catalogue.cannot_run, (one.programs.client, one.programs.server))), None
        )
        if why:
            raise BadInput(f"{text}: {one.stack.id} cannot run here: {why}")
    return [replace(one, options=options) for one in found] if options else found


def _options(text: str) -> dict[str, float]:
    """Read `NAME=NUMBER&NAME=NUMBER`."""
    found: dict[str, float] = {}
    for part in text.split("&"):
        name, _, value = part.partition("=")
        number = _NUMBER.fullmatch(value)
        if number is None:
            raise BadInput(f"?{text}: {part!r} is not NAME=NUMBER; give for instance ?burn_us=5")
        found[name] = float(value) if number[1] else int(value)
    return found


def pairs(a: Sequence[Contender], b: Sequence[Contender]) -> list[tuple[Contender, Contender]]:
    """Pair the stacks of two operands: one with one, or those of the same name.

    Raises:
        BadInput: they do not fit together.
    """
    if len(a) == len(b) == 1:
        return [(a[0], b[0])]
    by_name = {one.name: one for one in b}
    found = [(one, by_name[one.name]) for one in a if one.name in by_name]
    if not found:
        raise BadInput(
            f"no stack of the first has the name of one of the second: {a[0].stack.id} and {b[0].stack.id}, for"
            " instance; several are paired by the part behind the slash, so compare these one by one"
        )
    return found


def _known(text: str, known: catalogue.Catalogue) -> list[Contender]:
    """Find stacks of the catalogue."""
    found = [one for one in known.every if _fits(one, text)]
    half = None if found else mixed.instead(text, known.every)
    if half:
        raise BadInput(half)
    if not found:
        raise BadInput(f"{unknown('stack', text, [one.id for one in known.every], 'callbench list stacks')}; {HOW}")
    return [Contender(one, known.programs(one)) for one in found]


def _elsewhere(text: str, path: Path, known: catalogue.Catalogue) -> list[Contender]:
    """Find stacks in another adapter folder, or run those of the catalogue by another program."""
    if _manifest_in(path) is not None:
        every = _of(path, known, driven=MIXED in text)
        found = [one for one in every if _fits(one.stack, text)]
        if not found:
            names = ", ".join(one.stack.id for one in every[:6]) + (" ..." if len(every) > 6 else "")
            raise BadInput(f"{path} has no stack {text}: it has {names}")
        return found
    if not path.is_file():
        raise BadInput(f"{text}@{path}: there is no adapter.toml and no program at {path}; {HOW}")
    found = _known(text, known)
    if any(one.stack.mixed and only_call(one.stack) is None for one in found):
        raise BadInput(f"{text}@{path}: a mixed stack has two programs; compare builds of each side's own stack")
    return [_built(one, str(path.absolute())) for one in found]


def _built(one: Contender, program: str) -> Contender:
    """The same stack by another program; where the load driver calls it, its server by another."""
    known = one.programs.server
    built = replace(known, program=(program, *known.program[1:]))
    return replace(one, programs=replace(one.programs, server=built) if one.stack.mixed else built.both)


def _of(path: Path, known: catalogue.Catalogue, *, driven: bool = False) -> list[Contender]:
    """Take every stack of an adapter's folder or manifest but for instruments.

    Args:
        path: the folder or the manifest.
        known: what there is.
        driven: those that the load driver calls; where there are no others, they are taken anyway.
    """
    file = _manifest_in(path)
    assert file is not None  # noqa: S101 - who calls has asked
    for adapter in known.adapters:
        if adapter.manifest.file.exists() and os.path.samefile(adapter.manifest.file, file):  # noqa: PTH121 - both there
            read = adapter.manifest
            break
    else:
        read = manifest.read(file)
    whole = [Contender(one, read.both) for one in read.stacks if not (one.instrument or one.half)]
    return whole if whole and not driven else list(_driven(read, known))


def _driven(read: manifest.Manifest, known: catalogue.Catalogue) -> Iterator[Contender]:
    """The servers of a manifest, each called by the load driver."""
    for client in known.stacks:
        for server in read.stacks:
            if mixed.is_called_by(client, server):
                both = mixed.of(client, server)
                programs = Programs(known.adapter(client.adapter).manifest, read, server.card[request.KEY])
                yield Contender(both, replace(programs, counts=both.card.get("counts", True)))


def _manifest_in(path: Path) -> Path | None:
    """Find the manifest that a path means."""
    if path.is_dir() and (path / "adapter.toml").is_file():
        return path / "adapter.toml"
    return path if path.suffix == ".toml" and path.is_file() else None


def _fits(stack: Stack, text: str) -> bool:
    """Say whether a name, an adapter's name or a glob means a stack; instruments by exact name only."""
    if stack.id == text:
        return True
    return not stack.instrument and (stack.adapter == text or mixed.fits(stack.id, text))
