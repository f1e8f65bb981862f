"""How long a report of a thousand cells takes: reading, statistics, claims, charts and page. To stay under 10 s.

Run it with `python bench/report_of_1000_cells.py`; the run is synthetic, as the tests of the report make it.
"""

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from callbench.report import FORMATS
from callbench.report.subject import subject
from callbench.store import Run
from report.synthetic import write

LIMIT_S = 10.0


def main() -> int:
    """Measure once and say so; 1 where the limit is passed."""
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder) / "run", quick=False, clients=(1, 2, 4, 8, 16))
        start = time.monotonic()
        found = subject(Run(path))
        read = time.monotonic()
        FORMATS["html"](found)
        end = time.monotonic()
    cells = len(found.results.cells)
    print(f"{cells} cells, {found.results.trials} trials: read {read - start:.1f} s, page {end - read:.1f} s")
    return int(end - start > LIMIT_S)


if __name__ == "__main__":
    sys.exit(main())
