"""What the Java kit costs a call over two readings of System.nanoTime, and what its loop allocates, in one JVM.

`bench/run java_kit`, or with the number of pairs: `.venv/bin/python bench/java_kit.py 501`.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    """Compile the measuring class into the kit's own package, and start the JVM as the runner is started."""
    libraries = ROOT / "adapters" / "java" / "target" / "lib" / "kit"
    if not libraries.is_dir():
        sys.exit("the Java adapter is not built: run `make java`")
    source = Path(__file__).with_name("HarnessCost.java")
    with tempfile.TemporaryDirectory() as made:
        subprocess.run(["javac", "-d", made, "-cp", f"{libraries}/*", source], check=True)  # noqa: S607
        argv = ["java", "-XX:-UsePerfData", "-cp", f"{libraries}/*:{made}", "org.callbench.kit.HarnessCost"]
        subprocess.run([*argv, *sys.argv[1:]], check=True, env={**os.environ, "CALLBENCH_HOME": str(ROOT)})


if __name__ == "__main__":
    main()
