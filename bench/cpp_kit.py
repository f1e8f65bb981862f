"""What the C++ kit costs a call, beside two bare readings of the clock: `python bench/cpp_kit.py [PAIRS]`.

Runs adapters/cpp's own benchmark: slices of 20,000 calls of a stack that does nothing against slices of as many pairs
of clock readings, in one process, in pairs whose order is drawn. The ratio should be at most 1.2, and the loop should
allocate nothing.
"""

import json
import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).resolve().parents[1] / "adapters" / "cpp" / "build" / "callbench-cpp-cost"
MOST = 1.2


def main() -> None:
    """Prints the medians, the ratio and what was allocated."""
    if not PROGRAM.exists():
        raise SystemExit("the C++ adapter is not built: run `make cpp`")
    pairs = sys.argv[1] if len(sys.argv) > 1 else "1001"
    found = json.loads(subprocess.run([PROGRAM, pairs], capture_output=True, text=True, check=True).stdout)
    low, high = found["ratio_quartiles"]
    print(f"pairs {found['pairs']}, calls a slice {found['calls_a_slice']}")
    print(f"two readings {found['two_readings_ns']:.1f} ns, load loop {found['load_loop_ns']:.1f} ns a call (medians)")
    verdict = "within" if found["ratio"] <= MOST else "beyond"
    print(f"ratio {found['ratio']:.3f} (quartiles {low:.3f} and {high:.3f}): {verdict} {MOST}")
    print(f"allocations of the loop in {found['calls_a_slice']} calls: {found['allocations']}")


if __name__ == "__main__":
    main()
