"""Choose hosts for roles, by name or by what they must have."""

import itertools
from collections.abc import Mapping
from typing import Any

from callbench.catalog.study.hosts import HostNeeds

# What each host says of itself, by name.
About = Mapping[str, Mapping[str, Any]]


def lacks(about: Mapping[str, Any], needs: HostNeeds) -> list[str]:
    """Return what a host does not have, as phrases; empty if it fits."""
    processors = len(about["processors"])
    why = [f"has {processors} of {needs.processors} processors"] if processors < needs.processors else []
    adapters: Mapping[str, str | None] = about["adapters"]
    cannot = [name for name in needs.adapters if name not in adapters or adapters[name]]
    return [*why, *([f"cannot run {', '.join(cannot)}"] if cannot else [])]


def choose(roles: Mapping[str, str | HostNeeds], about: About) -> dict[str, str]:
    """Return a host for each role, no host twice: the first ones that fit, by name.

    Args:
        roles: a name, or what is needed.
        about: the hosts that are connected; those of other names are not looked at for a role with a name.

    Raises:
        ValueError: there are none; the text says what each host lacks.
    """
    named = {role: want for role, want in roles.items() if isinstance(want, str)}
    needed = {role: want for role, want in roles.items() if isinstance(want, HostNeeds)}
    free = [name for name in sorted(about) if name not in named.values()]
    for hosts in itertools.permutations(free, len(needed)):
        pairs = zip(hosts, needed.values(), strict=True)
        if not any(lacks(about[host], needs) for host, needs in pairs):
            chosen = named | dict(zip(needed, hosts, strict=True))
            return {role: chosen[role] for role in roles}
    raise ValueError(_why_none(needed, {name: about[name] for name in free}))


def _why_none(needed: Mapping[str, HostNeeds], free: About) -> str:
    if len(free) < len(needed):
        return f"{len(needed)} hosts are needed, and connected are: {', '.join(free) or 'none'}"
    whys = [
        f"{host} {' and '.join(missing)} (for the {role})"
        for role, needs in needed.items()
        for host, about in free.items()
        if (missing := lacks(about, needs))
    ]
    return f"no connected host fits: {'; '.join(whys)}"
