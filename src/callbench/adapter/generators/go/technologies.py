"""The technologies of the Go adapter: each folder with `technology.properties`, and what that says."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from callbench.adapter.generators.properties import FILE, properties

_KEYS = re.compile(r"own|stack\..+")
_STACK = "stack."
_GO = re.compile(r"^go ([0-9.]+)", re.MULTILINE)


@dataclass(frozen=True)
class Technology:
    """One technology.

    Attributes:
        folder: where its package is.
        functions: of its package, each of which makes a stack, by the stack's name.
        own: the stacks that carry the calls of a service of the user's own.
        needs: the oldest Go that its libraries take, if they make it a module of its own; else empty.
    """

    folder: Path
    functions: Mapping[str, str]
    own: tuple[str, ...]
    needs: tuple[int, ...]

    @property
    def name(self) -> str:
        """Of its folder and its package, and of the generator for what no function makes."""
        return self.folder.name

    @property
    def generated(self) -> tuple[str, ...]:
        """The stacks whose code is generated for a service."""
        return tuple(stack for stack in self.own if stack not in self.functions)

    def why_not(self, version: tuple[int, ...]) -> str:
        """Return why it cannot be compiled by a version of Go; empty if it can."""
        newest = ".".join(map(str, self.needs[:2]))
        return "" if version >= self.needs[:2] else f"the libraries of {self.name} need Go {newest} or newer"


def technologies(adapter: Path) -> list[Technology]:
    """Read the technologies of the adapter, those first that need no code to be generated.

    Raises:
        BadInput: a file cannot be read, or has a line that is none.
    """
    found = [_read(file) for file in sorted(adapter.glob(f"*/{FILE}"))]
    return sorted(found, key=lambda technology: bool(technology.generated))


def version_of(module: Path) -> tuple[int, ...]:
    """The Go that a module needs, by its go.mod; empty where there is none."""
    file = module / "go.mod"
    said = _GO.search(file.read_text(encoding="utf-8")) if file.is_file() else None
    return tuple(map(int, said[1].split("."))) if said else ()


def _read(file: Path) -> Technology:
    lines = properties(file, _KEYS)
    functions = {key.removeprefix(_STACK): value for key, value in lines.items() if key.startswith(_STACK)}
    return Technology(file.parent, functions, tuple(lines.get("own", "").split()), version_of(file.parent))
