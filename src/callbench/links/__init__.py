"""What lies between client and server: this machine's loopback, or two hosts of the network lab."""

from callbench.links.host import LOOPBACK_HOSTS, Host, Hosts
from callbench.links.made import Attempt, attempted, made, why_not
from callbench.links.pair import LinkFailure, Pair
from callbench.links.profile import BARE, Link, LinkPart, find, known, named
from callbench.links.reach import LOOPBACK, PAIR, why_not_over

__all__ = [
    "BARE",
    "LOOPBACK",
    "LOOPBACK_HOSTS",
    "PAIR",
    "Attempt",
    "Host",
    "Hosts",
    "Link",
    "LinkFailure",
    "LinkPart",
    "Pair",
    "attempted",
    "find",
    "known",
    "made",
    "named",
    "why_not",
    "why_not_over",
]
