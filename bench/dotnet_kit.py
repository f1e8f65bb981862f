"""What the .NET kit costs a call over two readings of Stopwatch, and what its loop allocates, in one Mono.

`bench/run dotnet_kit`, or with the number of pairs: `.venv/bin/python bench/dotnet_kit.py 501`.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    """Starts Mono as the adapter is started, but for its program."""
    program = ROOT / "adapters" / "dotnet" / "target" / "bench.exe"
    if not program.exists():
        sys.exit("the .NET runner is not built: run `make dotnet`")
    argv = ["mono", str(program), *sys.argv[1:]]
    subprocess.run(argv, check=True)


if __name__ == "__main__":
    main()
