"""A temporary folder that goes with this process, however it ends."""

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from callbench.adapter.process import belonging
from callbench.model.installation import keeper


@contextmanager
def folder(prefix: str) -> Iterator[Path]:
    """Makes a folder, and removes it at the end; where this process is killed, a keeper does.

    Args:
        prefix: what its name begins with.
    """
    with tempfile.TemporaryDirectory(prefix=prefix) as name:
        keeping = keeper()
        if keeping is None:
            yield Path(name)
            return
        # It ends when nobody can write to it any more.
        waiting = [str(keeping), *belonging(), "--remove", name, "--", "cat"]
        with subprocess.Popen(waiting, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True):
            yield Path(name)
