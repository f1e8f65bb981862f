"""The load driver beside Apache JMeter at one server: do they say the same where JMeter is not the limit?

`bench/run against_jmeter`, or with the number of rounds: `.venv/bin/python bench/against_jmeter.py 10`. Client and
server have processors of their own. First a server that answers at once, where JMeter is the limit; then servers that
take 50 ms for a call, so that the server sets the pace. Fails where the two differ there.
"""

import sys

from rich.console import Console

from callbench import catalogue
from callbench.peer import rounds, told

ROUNDS = 5
# A stack, how long its server waits in each call, and the clients.
CELLS = [
    ("load/http1:rust/hyper", 0, 50),
    ("load/http1:rust/hyper", 50_000, 10),
    ("load/http1:node/http", 50_000, 10),
    ("load/http1:pascal/fphttpserver", 50_000, 10),
]


def main() -> int:
    """Drive all cells, print what each side said."""
    number = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    known = catalogue.load()
    differ = 0
    for stack, delay_us, clients in CELLS:
        wish = rounds.Wish(stack, clients, number, 5.0, options={"delay_us": delay_us} if delay_us else {})
        print(f"{stack}, {delay_us / 1e3:g} ms in each call, {clients} clients", flush=True)
        found = rounds.held(wish, known, lambda _: None)
        told.show(found, Console(width=120))
        differ += found.agreement.verdict == "differ"
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
