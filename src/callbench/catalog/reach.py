"""Which stacks reach another host at all."""

from callbench.catalog.external import is_elsewhere
from callbench.model.cell import Stack

LOOPBACK = "loopback"
PAIR = "pair"

# Channels of the contract's adapters that are objects of one kernel or one process: nothing of them travels on a cable.
_STAY = frozenset({"inproc", "library", "shm", "shm-spin", "mqueue", "pipe", "unix", "winmsg"})


def why_not_over(stack: Stack, link: str) -> str | None:
    """Why a stack cannot be measured over a link, or None where it can."""
    if link != LOOPBACK and (stack.in_process or stack.channel in _STAY):
        return f"over {link}: what its channel carries never leaves the host"
    if link != LOOPBACK and is_elsewhere(stack):
        return f"over {link}: its server runs where its url says; one that is started can be put behind a link"
    return None
