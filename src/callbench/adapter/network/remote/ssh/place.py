"""Where ssh leads: `ssh:user@host`, and where Callbench lies there."""

import re
from dataclasses import dataclass

from callbench.adapter.network.remote.host_failure import HostFailure

_PREFIX = "ssh:"
# Neither part can be taken for an option of ssh, or for anything but a word by a shell.
_TEXT = re.compile(r"ssh:((?:[A-Za-z0-9_][\w.-]*@)?([A-Za-z0-9][A-Za-z0-9.-]*))(?::((?:~/|/)[\w./+-]+))?", re.ASCII)
_LONGEST_NAME = 31


@dataclass(frozen=True)
class SshPlace:
    """A host that ssh reaches.

    Attributes:
        target: what ssh is given: `user@host`, or the name of a host in its configuration.
        host: without the user.
        program: Callbench there.
    """

    target: str
    host: str
    program: str = "callbench"

    @property
    def name(self) -> str:
        """The host's name to the core."""
        return re.sub("[^a-z0-9]+", "-", self.host.lower())[:_LONGEST_NAME].strip("-")


def is_place(text: str) -> bool:
    """Return whether a host is given by ssh, and not by its name."""
    return text.startswith(_PREFIX)


def read_place(text: str) -> SshPlace:
    """Read a place.

    Raises:
        HostFailure: it is none.
    """
    found = _TEXT.fullmatch(text)
    if found is None:
        raise HostFailure(
            f"{text} is no host for ssh: give ssh:USER@HOST, with :/PATH/OF/callbench if it is not in the PATH there;"
            " a port belongs in ~/.ssh/config"
        )
    target, host, program = found.groups()
    return SshPlace(target, host, program or "callbench")


def name_of(text: str) -> str:
    """Return the name of a host that is given by its name or by ssh.

    Raises:
        HostFailure: it is not what ssh can reach.
    """
    return read_place(text).name if is_place(text) else text
