"""The load driver beside Apache JMeter: do they say the same where JMeter is not the limit?

`bench/run against_jmeter`, under 200 s on a machine with nothing else to do; or with a factor for rounds:
`.venv/bin/python bench/against_jmeter.py 2`. Client and server have processors of their own. First a server that
answers at once, where JMeter is the limit; then two that take 50 ms for a call, one of them a connection for each; then
the gateway article's load, 200 users who think for 900 ms, from its study. Fails where one of these does not agree.
"""

import sys
import tempfile
from pathlib import Path

from rich.console import Console

from callbench.analysis.peer.rounds import RoundsRequest
from callbench.catalog import catalogue
from callbench.cli.recorded.command import Ending
from callbench.cli.recorded.peer import PeerCommand
from callbench.report import records
from callbench.report.peer import peer_report as told
from callbench.runner.peer import rounds, study

# A stack, how long its server waits in each call, the clients, the rounds, and the verdict that is due.
CELLS = [
    ("load/http1:rust/hyper", 0, 50, 2, "peer limited"),
    ("load/http1:rust/hyper", 50_000, 10, 3, "agree"),
    ("load/http1:pascal/fphttpserver", 50_000, 10, 3, "agree"),
]
STUDY, SELECT, STUDY_ROUNDS = "qlio", ("group=users", "load/http1:gateway/protobuf"), 3
# Half of the article's: 25 ms a user, in which JMeter has made its thread.
SETTINGS = {"ramp_up_ms": "5000"}
SECONDS, WARM_UP_S = 3.0, 4.0


def main() -> int:
    """Drive all cells, print what each side said."""
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    known = catalogue.load()
    to = Console(width=180)
    wrong = 0
    for stack, delay_us, clients, number, due in CELLS:
        options = {"delay_us": delay_us} if delay_us else {}
        request = RoundsRequest(stack, clients, times * number, SECONDS, WARM_UP_S, options=options)
        print(f"{stack}, {delay_us / 1e3:g} ms in each call, {clients} clients: {due} is due", flush=True)
        driven = rounds.agreement_of(request, list(rounds.drive_rounds(request, known, lambda _: None)))
        told.show(driven, to)
        wrong += driven.agreement.verdict != due
    print(f"{STUDY}, {', '.join(SELECT)}: agree is due", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "peer"
        asked = study.PeerRequest(STUDY, False, SELECT, SETTINGS, times * STUDY_ROUNDS, SECONDS, WARM_UP_S)
        command = PeerCommand(asked, known, Ending(out))
        found = command.result(command.measured())
        records.show(found.run.path, to)
    wrong += any(cell.agreement is None or cell.agreement.verdict != "agree" for cell in found.cells)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
