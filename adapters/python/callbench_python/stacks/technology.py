"""What a technology of the adapter says of itself: a package beside this module, as `TECHNOLOGY`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Sides:
    """The modules of a stack, in the package of its technology; a side that it does not have is None."""

    client: str | None
    server: str


@dataclass(frozen=True)
class Technology:
    """One technology.

    Attributes:
        carries: which calls: those of Callbench (`ours`), those of a service of the user's own, or both. The host of a
            program with a service accepts no stacks that carry no calls of it.
        libraries: the packages that it is built on.
        stacks: by their names.
    """

    carries: Literal["all", "own", "ours"]
    libraries: Sequence[str]
    stacks: Mapping[str, Sides]
