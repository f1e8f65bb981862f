"""The kernel features that links need, from the kernel's configuration or its modules."""

import gzip
import platform
from pathlib import Path

_CONFIG = Path("/proc/config.gz")
# The kernel option of each part, and the module for it if it is not built in.
PARTS = {
    "user namespaces": ("CONFIG_USER_NS", ""),
    "packet sockets": ("CONFIG_PACKET", "af_packet"),
    "htb": ("CONFIG_NET_SCH_HTB", "sch_htb"),
    "BPF for frames": ("CONFIG_NET_CLS_BPF", "cls_bpf"),
}


def parts() -> str:
    """Return each part with yes, no or unknown."""
    words = {True: "yes", False: "no", None: "unknown"}
    return ", ".join(f"{name} {words[there]}" for name, there in found().items())


def found() -> dict[str, bool | None]:
    """Return which parts are there; None: it is not known."""
    config = _configuration()
    return {name: _has(config, *where) for name, where in PARTS.items()}


def _configuration() -> str | None:
    boot = Path(f"/boot/config-{platform.release()}")
    try:
        return gzip.decompress(_CONFIG.read_bytes()).decode() if _CONFIG.exists() else boot.read_text()
    except (OSError, ValueError, EOFError):
        return None


def _has(config: str | None, option: str, module: str) -> bool | None:
    if config is not None:
        return f"\n{option}=" in f"\n{config}"
    folder = Path("/lib/modules") / platform.release()
    for name in ("modules.builtin", "modules.dep"):
        try:
            if module and f"/{module}.ko" in (folder / name).read_text():
                return True
        except OSError:
            return None
    return False if module else None
