"""A temporary folder that is removed with this process, however it ends."""

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from callbench.adapter.process import ownership_options
from callbench.model.installation import supervisor


@contextmanager
def folder(prefix: str) -> Iterator[Path]:
    """Create a folder, and remove it at the end. If this process is killed, a supervisor removes it.

    Args:
        prefix: the begin of its name.
    """
    with tempfile.TemporaryDirectory(prefix=prefix) as name:
        keeping = supervisor()
        if keeping is None:
            yield Path(name)
            return
        # It ends when no process can write to its input any more.
        waiting = [str(keeping), *ownership_options(), "--remove", name, "--", "cat"]
        # If it cannot be started, only a kill leaves the folder: there is nothing to say.
        with subprocess.Popen(
            waiting,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ):
            yield Path(name)
