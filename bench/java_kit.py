"""What the Java kit costs a call over two readings of System.nanoTime, what it allocates, and how late it begins calls.

`bench/run java_kit`, or with the number of pairs and of rounds: `.venv/bin/python bench/java_kit.py 501 5`. The open
loop goes at half of what four clients reach in a closed one, in turn with a loop that only waits, on the same
processors: by java/json+http, whose library has threads of its own there, and by java/rmi, which has none.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import open_loop

ROOT = Path(__file__).resolve().parents[1]
# By then the compiler has what a small call needs.
WARM_UP_S = 20.0


def main() -> None:
    """Compile the measuring class into the kit's own package, and start the JVM as the runner is started."""
    libraries = ROOT / "adapters" / "java" / "target" / "lib" / "kit"
    if not libraries.is_dir():
        sys.exit("the Java adapter is not built: run `make java`")
    sources = [Path(__file__).with_name(f"{name}.java") for name in ("HarnessCost", "BareTimer")]
    pairs, rounds = [*sys.argv[1:], *("501", "5")[len(sys.argv) - 1 :]][:2]
    with tempfile.TemporaryDirectory() as made:
        subprocess.run(["javac", "-d", made, "-cp", f"{libraries}/*", *sources], check=True)  # noqa: S607
        java = ["java", "-XX:-UsePerfData", "-cp", f"{libraries}/*:{made}"]
        argv = [*java, "org.callbench.kit.HarnessCost", pairs]
        subprocess.run(argv, check=True, env={**os.environ, "CALLBENCH_HOME": str(ROOT)})
        for stack in ("java/json+http", "java/rmi"):
            open_loop.beside(stack, [*java, "BareTimer"], int(rounds), WARM_UP_S)


if __name__ == "__main__":
    main()
