"""The load driver beside wrk, both against one nginx: processor time a call of the client, and the rate, in pairs.

`bench/run load_against_wrk`, or with the number of pairs: `.venv/bin/python bench/load_against_wrk.py 20`.
50 connections that are kept, a small answer.
"""

import re
import sys

from rivals import BODY, CLIENTS, SECONDS, asked_pairs, compare, driver, nginx, ours, program, theirs


def main() -> None:
    """Runs the pairs, and prints both ratios."""
    wrk = program("wrk")
    with nginx() as port, driver() as adapter:
        url = f"http://127.0.0.1:{port}/"
        adapter.connect("load/http1", url, CLIENTS, options={"expect_body": BODY})
        argv = [wrk, "-t1", f"-c{CLIENTS}", f"-d{SECONDS:.0f}s", url]
        compare("wrk", {"ours": lambda: ours(adapter), "wrk": lambda: theirs(argv, read)}, asked_pairs())


def read(said: str) -> tuple[float, float]:
    """Calls, and calls a second."""
    calls, rate = re.search(r"(\d+) requests in", said), re.search(r"Requests/sec:\s*([\d.]+)", said)
    if not calls or not rate:
        sys.exit(f"wrk said something else than expected: {said}")
    return int(calls[1]), float(rate[1])


if __name__ == "__main__":
    main()
