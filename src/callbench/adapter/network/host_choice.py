"""Choose hosts for roles, by name or by what they must have."""

import functools
import itertools
from collections.abc import Callable, Mapping
from ipaddress import ip_address
from typing import Any

from callbench.catalog.study.hosts import HostNeeds, network_of

# What each host says of itself, by name.
About = Mapping[str, Mapping[str, Any]]
# What a stream from one host to another one carries, in Mbit/s; None: there is none.
Stream = Callable[[str, str], float | None]


def lacks(about: Mapping[str, Any], needs: HostNeeds) -> list[str]:
    """Return what a host does not have, as phrases; empty if it fits."""
    processors = len(about["processors"])
    why = [f"has {processors} of {needs.processors} processors"] if processors < needs.processors else []
    adapters: Mapping[str, str | None] = about["adapters"]
    cannot = [name for name in needs.adapters if name not in adapters or adapters[name]]
    missing = [name for name in needs.tools if not about["tools"].get(name)]
    within = needs.network.within
    if within is not None and ip_address(about["address"]) not in network_of(within):
        why.append(f"has the address {about['address']}, which is not in {within}")
    return [
        *why,
        *([f"cannot run {', '.join(cannot)}"] if cannot else []),
        *([f"has no {', '.join(missing)}"] if missing else []),
    ]


def choose(roles: Mapping[str, str | HostNeeds], about: About, stream: Stream) -> dict[str, str]:
    """Return a host for each role, no host twice: the first ones that fit, by name.

    Args:
        roles: a name, or what is needed.
        about: the hosts that are connected; those of other names are not looked at for a role with a name.
        stream: measures. It is asked only of hosts that have everything else.

    Raises:
        ValueError: there are none; the text says what each host lacks.
    """
    named = {role: want for role, want in roles.items() if isinstance(want, str)}
    needed = {role: want for role, want in roles.items() if isinstance(want, HostNeeds)}
    free = [name for name in sorted(about) if name not in named.values()]
    measured = functools.cache(stream)
    slow: list[str] = []
    for hosts in itertools.permutations(free, len(needed)):
        pairs = zip(hosts, needed.values(), strict=True)
        if any(lacks(about[host], needs) for host, needs in pairs):
            continue
        chosen = named | dict(zip(needed, hosts, strict=True))
        slow += (phrases := _slow(chosen, needed, measured))
        if not phrases:
            return {role: chosen[role] for role in roles}
    raise ValueError(_why_none(needed, {name: about[name] for name in free}, list(dict.fromkeys(slow))))


def _slow(chosen: Mapping[str, str], needed: Mapping[str, HostNeeds], stream: Stream) -> list[str]:
    """Return the streams between chosen hosts that carry too little, as phrases. It ends with the first of them."""
    for role, needs in needed.items():
        least = needs.network.mbit_s
        if least is None:
            continue
        host = chosen[role]
        others = [other for other in chosen.values() if other != host]
        for way in (way for other in others for way in ((host, other), (other, host))):
            carried = stream(*way)
            if carried is None or carried < least:
                said = "nothing" if carried is None else f"{carried:.3g} Mbit/s"
                return [f"{way[0]} sends {said} to {way[1]}, not {least:g} Mbit/s (for the {role})"]
    return []


def _why_none(needed: Mapping[str, HostNeeds], free: About, slow: list[str]) -> str:
    if len(free) < len(needed):
        return f"{len(needed)} hosts are needed, and connected are: {', '.join(free) or 'none'}"
    whys = [
        f"{host} {' and '.join(missing)} (for the {role})"
        for role, needs in needed.items()
        for host, about in free.items()
        if (missing := lacks(about, needs))
    ]
    return f"no connected host fits: {'; '.join((*whys, *slow))}"
