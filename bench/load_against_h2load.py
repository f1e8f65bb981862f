"""The load driver beside h2load over HTTP/2, both against one nginx: processor time a call, and the rate, in pairs.

`bench/run load_against_h2load`, or with the number of pairs: `.venv/bin/python bench/load_against_h2load.py 20`.
50 calls at once: over 50 connections, and over 5 of 10 streams each. The figure: no more processor time than h2load's.
"""

import re
import sys

from rivals import BODY, CLIENTS, SECONDS, Cost, asked_pairs, compare, driver, nginx, ours, program, theirs


def main() -> None:
    """Runs the pairs, and prints both ratios."""
    h2load = program("h2load")
    with nginx(" http2") as port, driver() as adapter:
        url = f"http://127.0.0.1:{port}/"
        for streams in (1, 10):
            connections = CLIENTS // streams
            print(f"{connections} connections, {streams} streams each")
            adapter.connect("load/h2", url, CLIENTS, options={"expect_body": BODY, "streams": streams})
            argv = [h2load, f"-c{connections}", f"-m{streams}", "-D", f"{SECONDS:.0f}", url]

            def rival(argv: list[str] = argv) -> Cost:
                return theirs(argv, read)

            compare("h2load", {"ours": lambda: ours(adapter), "h2load": rival}, asked_pairs())


def read(said: str) -> tuple[float, float]:
    """Calls, and calls a second."""
    calls, rate = re.search(r"(\d+) succeeded, 0 failed", said), re.search(r"finished in \S+, ([\d.]+) req/s", said)
    if not calls or not rate:
        sys.exit(f"h2load said something else than expected: {said}")
    return int(calls[1]), float(rate[1])


if __name__ == "__main__":
    main()
