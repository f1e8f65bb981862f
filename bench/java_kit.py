"""What the Java kit costs a call over two readings of System.nanoTime, and what its loop allocates, in one JVM.

`bench/run java_kit`, or with the number of pairs: `.venv/bin/python bench/java_kit.py 501`.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    """Starts the JVM as the adapter is started, but for its main class."""
    libraries = ROOT / "adapters" / "java" / "target" / "lib" / "kit"
    if not libraries.is_dir():
        sys.exit("the Java adapter is not built: run `make java`")
    argv = ["java", "-XX:-UsePerfData", "-cp", f"{libraries}/*", "org.callbench.kit.HarnessCost", *sys.argv[1:]]
    subprocess.run(argv, check=True, env={**os.environ, "CALLBENCH_HOME": str(ROOT)})


if __name__ == "__main__":
    main()
