"""What a host says of itself."""

import os
import platform
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from callbench.adapter.network import kernel
from callbench.adapter.network.remote.host_failure import HostFailure
from callbench.catalog import catalogue
from callbench.model.installation import netlab, supervisor, wheel
from callbench.model.processor_model import processor_model
from callbench.model.version import CONTRACT, VERSION


def of_this_host() -> dict[str, Any]:
    """Return versions, processors, memory and tools as JSON."""
    adapters = catalogue.load().adapters
    return {
        **version(),
        "machine": machine(),
        "system": f"{platform.system()} {platform.release()}",
        "model": processor_model(),
        "processors": sorted(os.sched_getaffinity(0)),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "tools": tools(),
        "root": os.geteuid() == 0,
        "adapters": {adapter.name: adapter.why_not for adapter in adapters},
    }


def tools() -> dict[str, bool | None]:
    """Return which tools are there: what the network lab needs, and what reads captures. None: it is not known."""
    found = {name.replace(" ", "-"): there for name, there in kernel.found().items()}
    programs = {"supervisor": supervisor(), "network-lab": netlab(), "tshark": shutil.which("tshark")}
    return {name: program is not None for name, program in programs.items()} | found


def version() -> dict[str, Any]:
    """Return the versions that must be equal on all hosts, and the type of processor, of which a wheel has programs."""
    found = wheel()
    digest = found and found.digest
    return {"version": VERSION, "contract": CONTRACT, "digest": digest, "architecture": platform.machine()}


def check_version(name: str, about: Mapping[str, object]) -> None:
    """Refuse a host that has other versions or another type of processor than this machine.

    Raises:
        HostFailure: it has.
    """
    own = version()
    theirs = {key: about.get(key) for key in own}
    here, there = own["architecture"], theirs["architecture"]
    if there not in {None, here}:
        raise HostFailure(
            f"host {name} has processors of type {there}, and this machine {here}, where times of codecs are measured:"
            f" name a host of type {here}, or start the run on a machine of type {there}"
        )
    if own != theirs:
        said = theirs["version"] if theirs["version"] != VERSION else f"another build of {VERSION}"
        raise HostFailure(
            f"host {name} has Callbench {said}, and this is {VERSION}: install the same wheel or checkout on both"
        )


def machine() -> str:
    """Return what is equal for two agents that share a machine and its network, and for no others."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return f"{boot} {Path('/proc/self/ns/net').readlink()}"
