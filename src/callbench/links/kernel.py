"""What the running kernel brings for links, as it says itself: its configuration, or the modules that lie beside it."""

import gzip
import os
import platform
from pathlib import Path

_CONFIG = Path("/proc/config.gz")
_TUN = Path("/dev/net/tun")
# The option of the kernel, and the module that it becomes where it is not built in.
PARTS = {
    "user namespaces": ("CONFIG_USER_NS", ""),
    "packet sockets": ("CONFIG_PACKET", "af_packet"),
    "netem": ("CONFIG_NET_SCH_NETEM", "sch_netem"),
    "tbf": ("CONFIG_NET_SCH_TBF", "sch_tbf"),
}


def parts() -> str:
    """Each part with yes, no or unknown, and whether TUN devices can be opened by this user."""
    config = _configuration()
    words = [f"{name} {_has(config, *where)}" for name, where in PARTS.items()]
    tun = "yes" if os.access(_TUN, os.R_OK | os.W_OK) else "no"
    return f"{', '.join(words)}, TUN {tun}"


def _configuration() -> str | None:
    boot = Path(f"/boot/config-{platform.release()}")
    try:
        return gzip.decompress(_CONFIG.read_bytes()).decode() if _CONFIG.exists() else boot.read_text()
    except (OSError, ValueError, EOFError):
        return None


def _has(config: str | None, option: str, module: str) -> str:
    if config is not None:
        return "yes" if f"\n{option}=" in f"\n{config}" else "no"
    folder = Path("/lib/modules") / platform.release()
    for name in ("modules.builtin", "modules.dep"):
        try:
            if module and f"/{module}.ko" in (folder / name).read_text():
                return "yes"
        except OSError:
            return "unknown"
    return "no" if module else "unknown"
