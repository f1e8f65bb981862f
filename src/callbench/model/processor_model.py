"""What this machine's processors are."""

from pathlib import Path


def processor_model() -> str | None:
    """Return the name of the processors; None if the kernel says none."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return None
    named = (line.partition(":") for line in lines)
    return next((text.strip() for name, _, text in named if name.strip() in ("model name", "Model")), None)
