"""What the kit costs a call over two readings of its clock, in Wine: the harness's own benchmark, built for Windows.

`bench/run windows_kit`, or with the number of pairs: `.venv/bin/python bench/windows_kit.py 501`.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILT = ROOT / "adapters" / "windows" / "target"
PROGRAM = BUILT / "harness_cost.exe"
MOST = 1.3


def main() -> None:
    """Build it and start it as the adapter is started, in its own Wine prefix."""
    subprocess.run([ROOT / "setup" / "windows", "bench"], check=True)
    ended = subprocess.run(
        [BUILT / "callbench-windows", PROGRAM, *sys.argv[1:]], stdout=subprocess.PIPE, text=True, check=True
    )
    print(ended.stdout.replace("\r", ""), end="")
    ratio = float(ended.stdout.split("ratio ")[1].split(",")[0])
    print(f"{'within' if ratio <= MOST else 'beyond'} {MOST}")


if __name__ == "__main__":
    main()
