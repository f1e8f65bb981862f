"""What a dissector makes of the GIOP messages that this machine's loopback carries meanwhile."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import frames


def dissected(act: Callable[[], object], folder: Path) -> str:
    """Tshark's words about the frames with GIOP in them that were seen while `act` ran; skips where it cannot be."""
    if shutil.which("tshark") is None:
        pytest.skip("tshark is not installed")
    with frames.on_loopback() as seen:
        act()
        capture = frames.keep((one for one, _ in seen.waiting() if b"GIOP" in one), folder / "calls.pcap")
    shown = subprocess.run(
        ["tshark", "-r", capture, "-d", "tcp.port==1-65535,giop", "-Y", "giop", "-V"],  # noqa: S607
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return shown.stdout
