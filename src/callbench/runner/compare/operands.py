"""The two operands of `callbench compare`: stacks, each with the program that runs it, or a run."""

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
from callbench.store.head import FILE

HOW = (
    "give a stack or a glob (native/json+tcp), a stack with another build of its adapter (native/json+tcp@FOLDER or"
    " @PROGRAM), an adapter's folder, or a run's folder"
)
_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?")


@dataclass(frozen=True)
class Candidate:
    """One stack and the build that runs it: both sides, unless the stack is mixed.

    Attributes:
        options: options of its server.
    """

    stack: Stack
    programs: Programs
    options: Mapping[str, float] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The stack's name without its adapter."""
        return self.stack.id.partition("/")[2]


def is_run(text: str) -> bool:
    """Return whether an operand is a run's folder."""
    return (Path(text) / FILE).is_file()


def candidates(text: str, all_stacks: catalogue.Catalogue) -> list[Candidate]:
    """Return the stacks that an operand means.

    Raises:
        BadInput: there are none, or they cannot run here.
    """
    text, question_mark, rest = text.partition("?")
    options = _options(rest) if question_mark else {}
    named, at, build = text.partition("@")
    path = Path(build if at else named)
    if at:
        found = _from_build(named, path, all_stacks)
    elif _manifest_in(path) is not None:
        found = _from_manifest(path, all_stacks)
    else:
        found = _from_catalogue(named, all_stacks)
    for candidate in found:
        why = candidate.stack.why_not or next(
            filter(None, map(catalogue.cannot_run, (candidate.programs.client, candidate.programs.server))), None
        )
        if why:
            raise BadInput(f"{text}: {candidate.stack.id} cannot run here: {why}")
    return [replace(candidate, options=options) for candidate in found] if options else found


def _options(text: str) -> dict[str, float]:
    """Parse `NAME=NUMBER&NAME=NUMBER`."""
    found: dict[str, float] = {}
    for part in text.split("&"):
        name, _, value = part.partition("=")
        number = _NUMBER.fullmatch(value)
        if number is None:
            raise BadInput(f"?{text}: {part!r} is not NAME=NUMBER; give for instance ?burn_us=5")
        found[name] = float(value) if number[1] else int(value)
    return found


def pairs(a: Sequence[Candidate], b: Sequence[Candidate]) -> list[tuple[Candidate, Candidate]]:
    """Pair the stacks of two operands: one with one, or those with the same name.

    Raises:
        BadInput: they do not match.
    """
    if len(a) == len(b) == 1:
        return [(a[0], b[0])]
    by_name = {candidate.name: candidate for candidate in b}
    found = [(candidate, by_name[candidate.name]) for candidate in a if candidate.name in by_name]
    if not found:
        raise BadInput(
            f"no stack of the first has the name of one of the second: {a[0].stack.id} and {b[0].stack.id}, for"
            " instance; several are paired by the part behind the slash, so compare these one by one"
        )
    return found


def _from_catalogue(text: str, all_stacks: catalogue.Catalogue) -> list[Candidate]:
    """Return stacks of the catalogue."""
    found = [stack for stack in all_stacks.every if _fits(stack, text)]
    half = None if found else mixed.suggestion_for_half(text, all_stacks.every)
    if half:
        raise BadInput(half)
    if not found:
        raise BadInput(
            f"{unknown('stack', text, [stack.id for stack in all_stacks.every], 'callbench list stacks')}; {HOW}"
        )
    return [Candidate(stack, all_stacks.programs(stack)) for stack in found]


def _from_build(text: str, path: Path, all_stacks: catalogue.Catalogue) -> list[Candidate]:
    """Return stacks of another adapter folder, or stacks of the catalogue with another program."""
    if _manifest_in(path) is not None:
        every = _from_manifest(path, all_stacks, by_load_driver=MIXED in text)
        found = [candidate for candidate in every if _fits(candidate.stack, text)]
        if not found:
            names = ", ".join(candidate.stack.id for candidate in every[:6]) + (" ..." if len(every) > 6 else "")
            raise BadInput(f"{path} has no stack {text}: it has {names}")
        return found
    if not path.is_file():
        raise BadInput(f"{text}@{path}: there is no adapter.toml and no program at {path}; {HOW}")
    found = _from_catalogue(text, all_stacks)
    if any(candidate.stack.mixed and only_call(candidate.stack) is None for candidate in found):
        raise BadInput(f"{text}@{path}: a mixed stack has two programs; compare builds of each side's own stack")
    return [_with_program(candidate, str(path.absolute())) for candidate in found]


def _with_program(candidate: Candidate, program: str) -> Candidate:
    """Return the same stack with another program. If the load driver calls it, replace its server's program."""
    all_stacks = candidate.programs.server
    built = replace(all_stacks, program=(program, *all_stacks.program[1:]))
    return replace(
        candidate, programs=replace(candidate.programs, server=built) if candidate.stack.mixed else built.both
    )


def _from_manifest(path: Path, all_stacks: catalogue.Catalogue, *, by_load_driver: bool = False) -> list[Candidate]:
    """Return the stacks of an adapter's manifest, without instruments.

    Args:
        path: the folder or the manifest.
        all_stacks: the catalogue.
        by_load_driver: whether to return stacks that the load driver calls; also returned if there are no others.
    """
    file = _manifest_in(path)
    assert file is not None  # noqa: S101 - who calls has asked
    for adapter in all_stacks.adapters:
        if adapter.manifest.file.exists() and os.path.samefile(adapter.manifest.file, file):  # noqa: PTH121 - both there
            read = adapter.manifest
            break
    else:
        read = manifest.read(file)
    whole = [Candidate(stack, read.both) for stack in read.stacks if not (stack.instrument or stack.half)]
    return whole if whole and not by_load_driver else list(_called_by_load_driver(read, all_stacks))


def _called_by_load_driver(read: manifest.Manifest, all_stacks: catalogue.Catalogue) -> Iterator[Candidate]:
    """Yield the servers of a manifest as stacks that the load driver calls."""
    for client in all_stacks.stacks:
        for server in read.stacks:
            if mixed.is_called_by(client, server):
                both = mixed.of(client, server)
                programs = Programs(all_stacks.adapter(client.adapter).manifest, read, server.card[request.KEY])
                yield Candidate(both, replace(programs, counts=both.card.get("counts", True)))


def _manifest_in(path: Path) -> Path | None:
    """Return the manifest that a path means, or None."""
    if path.is_dir() and (path / "adapter.toml").is_file():
        return path / "adapter.toml"
    return path if path.suffix == ".toml" and path.is_file() else None


def _fits(stack: Stack, text: str) -> bool:
    """Return whether a name, an adapter's name or a glob means a stack. Instruments need the exact name."""
    if stack.id == text:
        return True
    return not stack.instrument and (stack.adapter == text or mixed.fits(stack.id, text))
