"""What the .NET kit costs a call over two readings of Stopwatch, what its loop allocates, and how late it begins calls.

`bench/run dotnet_kit`, or with the number of pairs and of rounds: `.venv/bin/python bench/dotnet_kit.py 501 5`. The
open loop goes at half of what four clients reach in a closed one, in turn with a loop that only waits, on the same
processors: by dotnet/json+http, whose library has threads of its own there, and by dotnet/remoting-tcp, which has none.
"""

import subprocess
import sys
from pathlib import Path

import open_loop

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    """Starts Mono as the adapter is started, but for its program."""
    program = ROOT / "adapters" / "dotnet" / "target" / "bench.exe"
    if not program.exists():
        sys.exit("the .NET runner is not built: run `make dotnet`")
    pairs, rounds = [*sys.argv[1:], *("501", "5")[len(sys.argv) - 1 :]][:2]
    subprocess.run(["mono", str(program), pairs], check=True)  # noqa: S607 - the Mono that is there
    for stack in ("dotnet/json+http", "dotnet/remoting-tcp"):
        open_loop.beside(stack, ["mono", program, "timer"], int(rounds))


if __name__ == "__main__":
    main()
