"""Which stacks can reach another host."""

from typing import Final

from callbench.catalog.external import runs_by_itself
from callbench.model.cell import Cell, Stack
from callbench.model.request import only_call

LOOPBACK = "loopback"
PAIR = "pair"
# Between two hosts as they are, which a run names.
REAL = "real"
# The same with a profile laid on it: `real+wan20`.
_LAID = f"{REAL}+"

# The key of a card, and its value where a channel lies within one kernel: nothing of it travels on a cable.
REACH: Final = "reach"
HOST = "host"


def on_real_hosts(profile: str) -> str:
    """Return the name of the link that is a profile between real hosts."""
    return _LAID + profile


def between_hosts(link: str) -> bool:
    """Return whether a link lies between the hosts that a run names."""
    return link == REAL or link.startswith(_LAID)


def profile_of(link: str) -> str | None:
    """Return the profile that is laid between real hosts; None: none is, or it is another link."""
    return link.removeprefix(_LAID) if link.startswith(_LAID) else None


def why_not_over(stack: Stack, link: str) -> str | None:
    """Return why a stack cannot be measured over a link; None if it can."""
    if link != LOOPBACK and (stack.in_process or stack.card.get(REACH) == HOST):
        return f"over {link}: what its channel carries never leaves the host"
    if link != LOOPBACK and runs_by_itself(stack):
        return f"over {link}: its server runs where its url says; one that is started can be put behind a link"
    return None


def why_not_measured(stack: Stack, cell: Cell) -> str | None:
    """Return why a stack can never measure a cell: its link, or another call than its request stands for; else None."""
    only = only_call(stack)
    if only in {None, cell.call}:
        return why_not_over(stack, cell.link)
    return f"its one request stands for {only}: give its cells the call {only}, or leave it out of those of {cell.call}"


def why_not_by_hosts(stack: Stack) -> str | None:
    """Return why the clients of other machines cannot call a stack; None if they can, or if its server has a URL."""
    return None if runs_by_itself(stack) else why_not_over(stack, REAL)
