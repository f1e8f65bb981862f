"""The catalogue: every adapter's manifest, and whether its program can run here."""

import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from callbench.catalog import external, manifest, mixed, setup, shared_facts
from callbench.catalog.manifest import Manifest, Programs
from callbench.model import request
from callbench.model.cell import MIXED, Stack, sides_of
from callbench.model.errors import BadInput
from callbench.model.installation import home, workplace
from callbench.model.suggestions import unknown

ADAPTERS_VARIABLE = "CALLBENCH_ADAPTERS"
_ELF = b"\x7fELF"


@dataclass(frozen=True)
class KnownAdapter:
    """An adapter and its stacks.

    Attributes:
        why_not: why its program cannot run here, with the remedy, or None.
        stacks: its stacks, each with the same `why_not`.
    """

    manifest: Manifest
    why_not: str | None
    stacks: tuple[Stack, ...]

    @property
    def name(self) -> str:
        """The part of a stack's name before the slash."""
        return self.manifest.name


@dataclass(frozen=True)
class Catalogue:
    """All adapters that were found.

    Attributes:
        broken: one sentence for each manifest that could not be used.
        warm_up_limit_s: seconds after which every warm-up ends; None: the usual limits.
        own: whether it is for a service of the user's own: only then can stacks be measured that carry no other calls.
    """

    adapters: tuple[KnownAdapter, ...]
    broken: tuple[str, ...]
    warm_up_limit_s: float | None = None
    own: bool = False

    @property
    def stacks(self) -> tuple[Stack, ...]:
        """Every stack of a manifest, in the order of adapters and manifests, including stacks with one side only."""
        return tuple(stack for adapter in self.adapters for stack in adapter.stacks)

    @cached_property
    def every(self) -> tuple[Stack, ...]:
        """Everything that can be measured: stacks with two sides, and mixed stacks."""
        there = tuple(stack for stack in self.stacks if self.own or not stack.own_only)
        return (*(stack for stack in there if not stack.half), *mixed.every(there))

    @cached_property
    def listed(self) -> tuple[Stack, ...]:
        """Everything that has a card: what can be measured, and the stacks for a service of the user's own alone."""
        return (*self.every, *(stack for stack in self.stacks if stack.own_only and not self.own))

    def programs(self, stack: Stack) -> Programs:
        """Return the programs of a stack's sides.

        Raises:
            BadInput: an adapter no longer exists.
        """
        client, server = (self.adapter(name.partition("/")[0]).manifest for name in sides_of(stack.id))
        requested = stack.card.get(request.KEY) if stack.mixed else None
        behind = stack.card.get("backend")
        backend = (self.adapter(behind.partition("/")[0]).manifest, behind) if behind else None
        counts, compiles = stack.card.get("counts", True), bool(stack.card.get("compiles"))
        return Programs(
            client=client,
            server=server,
            request=requested,
            counts=counts,
            backend=backend,
            warm_up_limit_s=self.warm_up_limit_s,
            card_compiles=compiles,
        )

    def stack(self, name: str) -> Stack:
        """Return the stack with this id; it may be mixed.

        Raises:
            BadInput: it does not exist; the sentence suggests similar names.
        """
        for stack in self.every:
            if stack.id == name:
                return stack
        if any(stack.id == name for stack in self.listed):
            raise BadInput(
                f"{name} carries only the calls of a service of your own: name it in the study of a folder that"
                " `callbench import` made"
            )
        half = mixed.suggestion_for_half(name, self.every)
        if half:
            raise BadInput(half)
        self._say_why_not_mixed(name)
        raise BadInput(unknown("stack", name, [stack.id for stack in self.every], "callbench list stacks"))

    def _say_why_not_mixed(self, name: str) -> None:
        """Raise an error if both sides exist and do not fit together."""
        sides = [next((stack for stack in self.stacks if stack.id == side), None) for side in sides_of(name)]
        if MIXED in name and all(sides):
            raise BadInput(f"{name} cannot be mixed: {mixed.why_not(*(side for side in sides if side))}")

    def adapter(self, name: str) -> KnownAdapter:
        """Return the adapter with this name.

        Raises:
            BadInput: it does not exist; the sentence suggests similar names.
        """
        for adapter in self.adapters:
            if adapter.name == name:
                return adapter
        raise BadInput(unknown("adapter", name, [each.name for each in self.adapters], "callbench list stacks"))


def load(folders: Iterable[Path] | None = None) -> Catalogue:
    """Read every manifest: engine/* and adapters/* of the installation, and the folders of `CALLBENCH_ADAPTERS`.

    An adapter that was set up in the cache is read from there.

    Args:
        folders: read only these instead.

    Raises:
        BadInput: a given folder does not exist.
    """
    manifests: dict[str, Manifest] = {}
    broken: list[str] = []
    for file in _manifests() if folders is None else _in_named(folders):
        try:
            read = manifest.read(file)
        except BadInput as failure:
            broken.append(str(failure))
            continue
        if read.name in manifests:
            broken.append(f"{file} is called {read.name}, as {manifests[read.name].file} is: rename one of them")
            continue
        manifests[read.name] = read
    return Catalogue(tuple(map(adapter_of, shared_facts.completed(manifests.values()))), tuple(broken))


def adapter_of(read: Manifest) -> KnownAdapter:
    """Return a manifest's adapter, with the reasons why stacks cannot run here."""
    why_not = cannot_run(read)
    return KnownAdapter(
        read, why_not, tuple(replace(stack, why_not=why_not or external.why_not(stack)) for stack in read.stacks)
    )


def cannot_run(read: Manifest) -> str | None:
    """Return why the manifest's program cannot start on this machine, with the remedy; None if it can."""
    command = setup.command(read)
    remedy = f": run `{command}`" if command else ""
    why = _cannot_start(read.program[0], remedy)
    if why is None and read.hosted:
        why = _cannot_start(read.program[2], remedy)
    return why


def _cannot_start(named: str, remedy: str) -> str | None:
    program = named if "/" in named else shutil.which(named)
    if program is None:
        return f"{named} is not installed{remedy}"
    path = Path(program)
    if not path.is_file():
        return f"its program {path} is missing{remedy}"
    if not os.access(path, os.X_OK):
        return f"its program {path} is not executable{remedy or f': run `chmod +x {path}`'}"
    return _not_for_this_machine(path, remedy)


def _not_for_this_machine(path: Path, remedy: str) -> str | None:
    try:
        head = _head(path)
    except OSError as failure:
        return f"its program {path} cannot be read: {failure.strerror}"
    if head.startswith(b"#!"):
        return None
    if not head.startswith(_ELF) or len(head) < 20:
        return f"its program {path} is not a program of this system{remedy}"
    mine = _head(Path(sys.executable))
    # Word size (byte 4), byte order (5) and machine (18, 19) of the ELF header must equal those of this interpreter.
    if mine.startswith(_ELF) and (head[4:6], head[18:20]) != (mine[4:6], mine[18:20]):
        return f"its program {path} was built for another machine{remedy}"
    return None


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(20)


def _manifests() -> list[Path]:
    root = home()
    mine: dict[tuple[str, str], Path] = {}
    for folder in (root / "engine", root / "adapters", workplace() / "adapters"):
        mine |= {(folder.name, file.parent.name): file for file in sorted(folder.glob("*/adapter.toml"))}
    named = [Path(text) for text in os.environ.get(ADAPTERS_VARIABLE, "").split(":") if text]
    return [*mine.values(), *_in_named(named)]


def _in_named(folders: Iterable[Path]) -> list[Path]:
    """A given folder is an adapter's own, or contains several adapters."""
    there: list[Path] = []
    for folder in folders:
        own = folder / "adapter.toml"
        inside: Sequence[Path] = [own] if own.is_file() else sorted(folder.glob("*/adapter.toml"))
        if not inside:
            raise BadInput(f"{ADAPTERS_VARIABLE} names {folder}, which has no adapter.toml")
        there += inside
    return there
