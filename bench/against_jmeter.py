"""The load driver beside Apache JMeter at one server: do they say the same where JMeter is not the limit?

`bench/run against_jmeter`, or with the number of rounds: `.venv/bin/python bench/against_jmeter.py 10`. Client and
server have processors of their own. First a server that answers at once, where JMeter is the limit; then servers that
take 20 ms for a call, so that the server sets the pace of 50 clients. Fails where the two differ there.
"""

import sys

from rich.console import Console

from callbench import catalogue
from callbench.peer import rounds, told

ROUNDS = 5
CLIENTS = 50
CELLS = [
    ("load/http1:rust/hyper", 0),
    ("load/http1:rust/hyper", 20_000),
    ("load/http1:node/http", 20_000),
    ("load/http1:pascal/fphttpserver", 20_000),
]


def main() -> int:
    """Drive all cells, print what each side said."""
    number = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    known = catalogue.load()
    differ = 0
    for stack, delay_us in CELLS:
        wish = rounds.Wish(stack, CLIENTS, number, 5.0, options={"delay_us": delay_us} if delay_us else None)
        print(f"{stack}, {delay_us / 1e3:g} ms in each call, {CLIENTS} clients")
        found = rounds.held(wish, known, lambda _: None)
        told.show(found, Console(width=120))
        differ += found.agreement.verdict == "differ"
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
