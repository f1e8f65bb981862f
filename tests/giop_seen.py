"""A dissector's description of the GIOP messages on this machine's loopback."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import frames


def dissected(act: Callable[[], object], folder: Path) -> str:
    """Return tshark's description of the GIOP frames while `act` ran; skip if that is not possible."""
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
