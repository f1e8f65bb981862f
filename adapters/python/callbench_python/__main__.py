"""The runner of Python: see contract/RUNNER.md."""

import os
import signal
import sys

from callbench_python import own
from callbench_python.clock import sharpen_sleeps
from callbench_python.runner import Runner


def main() -> None:
    """Speak the runner protocol until the end."""
    # Libraries print, so the real stdout is reserved for the answers.
    out = os.dup(1)
    os.dup2(2, 1)
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    sharpen_sleeps()
    for module in sys.argv[1:]:
        own.load(module)
    Runner(out).hold(sys.stdin.buffer)
    # Threads that listen are left as they are.
    os._exit(0)


if __name__ == "__main__":
    main()
