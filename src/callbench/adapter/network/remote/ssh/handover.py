"""How a core hands keys over to an agent that it started: what each side writes, a line of JSON each.

The agent begins, with its versions. Only if they fit, the core sends the keys. They lie in a folder of the agent that
only its user can read, and that ends with it.
"""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from callbench.adapter.network.remote import facts
from callbench.adapter.network.remote.host_failure import HostFailure
from callbench.adapter.network.remote.keys import Keys, read

# The member by which a first line of ours is known: a login may print others before it.
_HELLO = "callbench agent"
_FILES = ("ca.pem", "own.pem", "own.key", "place.json")
_LONGEST_LINE = 1 << 16


@dataclass(frozen=True)
class AgentHello:
    """What an agent says first.

    Attributes:
        versions: that must be those of the core.
        connection: the core's address and port as the host sees them, and its own.
    """

    versions: Mapping[str, object]
    connection: Sequence[str]


def hello() -> str:
    """Return the first line of an agent: its versions, and how ssh reached it."""
    return json.dumps({_HELLO: facts.version(), "connection": os.environ.get("SSH_CONNECTION", "").split()})


def read_hello(line: str) -> AgentHello | None:
    """Return what the first line of an agent says; None: it is another line."""
    try:
        said = json.loads(line)
    except ValueError:
        return None
    return AgentHello(said[_HELLO], said["connection"]) if isinstance(said, dict) and _HELLO in said else None


def handed(keys: Keys) -> bytes:
    """Return the line that hands keys over."""
    return json.dumps({name: (keys.folder / name).read_text() for name in _FILES}).encode() + b"\n"


def receive(folder: Path, source: BinaryIO, say: Callable[[str], None]) -> Keys:
    """Say hello, and return the keys that come then, in a folder.

    Raises:
        HostFailure: none come, or they are damaged.
    """
    from callbench.adapter.network.remote.certificates import write_private  # noqa: PLC0415 - part of the extra `hosts`

    say(hello())
    line = source.readline(_LONGEST_LINE)
    try:
        files = json.loads(line)
        for name in _FILES:
            write_private(folder / name, files[name].encode())
    except (ValueError, KeyError, TypeError, AttributeError) as failure:
        raise HostFailure(
            "no keys came by standard input: `--hosts ssh:USER@HOST` hands them over; by hand, name their folder"
        ) from failure
    return read(folder)
