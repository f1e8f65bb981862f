"""What lies between client and server: this machine's loopback, or two hosts of the network lab."""

from callbench.links.host import LOOPBACK_HOSTS, Host, Hosts
from callbench.links.made import made, why_not
from callbench.links.pair import LinkFailure, Pair
from callbench.links.reach import LOOPBACK, PAIR, why_not_over

__all__ = [
    "LOOPBACK",
    "LOOPBACK_HOSTS",
    "PAIR",
    "Host",
    "Hosts",
    "LinkFailure",
    "Pair",
    "made",
    "why_not",
    "why_not_over",
]
