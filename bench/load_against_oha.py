"""The load driver beside oha and hey, all against one nginx over HTTP/1.1: processor time a call, and the rate.

`bench/run load_against_oha`, or with the number of pairs: `.venv/bin/python bench/load_against_oha.py 20`.
50 connections that are kept, a small answer. oha comes from crates.io, hey from the Go module proxy. The figures: at
least 1.05 times oha's rate, and twice hey's.
"""

import json
import re
import sys

from rivals import BODY, CLIENTS, SECONDS, asked_pairs, compare, driver, from_cargo, from_go, nginx, ours, theirs

OHA = "1.16.0"
HEY = "github.com/rakyll/hey@v0.1.4"


def main() -> None:
    """Runs the pairs, and prints the ratios."""
    oha, hey = from_cargo("oha", OHA), from_go("hey", HEY)
    with nginx() as port, driver() as adapter:
        url = f"http://127.0.0.1:{port}/"
        adapter.connect("load/http1", url, CLIENTS, options={"expect_body": BODY})
        load = ["-z", f"{SECONDS:.0f}s", "-c", str(CLIENTS)]
        first = [oha, *load, "--no-tui", "--output-format", "json", url]
        second = [hey, *load, "-cpus", "1", url]
        compare("oha", {"ours": lambda: ours(adapter), "oha": lambda: theirs(first, of_oha)}, asked_pairs())
        compare("hey", {"ours": lambda: ours(adapter), "hey": lambda: theirs(second, of_hey)}, asked_pairs())


def of_oha(said: str) -> tuple[float, float]:
    """Calls, and calls a second."""
    found = json.loads(said)
    rate = found["summary"]["requestsPerSec"]
    return sum(found["statusCodeDistribution"].values()), rate


def of_hey(said: str) -> tuple[float, float]:
    """Calls, and calls a second."""
    calls, rate = re.search(r"\[200\]\s+(\d+) responses", said), re.search(r"Requests/sec:\s*([\d.]+)", said)
    if not calls or not rate:
        sys.exit(f"hey said something else than expected: {said}")
    return int(calls[1]), float(rate[1])


if __name__ == "__main__":
    main()
