"""What does sending one byte take above TCP, by our ledger, by a dissector's count of the same frames, and by hand?

Runs the study `one-byte` with its captures kept and has tshark count them: an exchange is all that a client sends
before it is answered, and all of the answer; a steady call is the exchange that comes most often.

bench/one_byte.py [GLOB ...]: the stacks to take; all of the study's without one.
"""

import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from callbench.analysis.run.subject import subject
from callbench.analysis.wire.accounts import ledgers
from callbench.analysis.wire.counts import STEADY, stream
from callbench.catalog.study import load
from callbench.store.record import Record

FIELDS = ("tcp.stream", "ip.src", "tcp.len", "tcp.flags.syn", "tcp.flags.ack", "tcp.analysis.retransmission")
TABLE = "echo"


def exchanges(capture: Path) -> Iterator[int]:
    """Return the bytes above TCP of each exchange of a capture, stream by stream, as reported by tshark."""
    told = [part for field in FIELDS for part in ("-e", field)]
    shown = subprocess.run(
        ["tshark", "-r", capture, "-Y", "tcp", "-T", "fields", *told],  # noqa: S607 - found where it is installed
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    clients: dict[str, str] = {}
    under_way: dict[str, list[int]] = {}
    for line in shown.splitlines():
        number, source, length, syn, ack, again = line.split("\t")
        if syn in ("1", "True") and ack in ("0", "False"):
            clients[number] = source
        if again or not int(length):
            continue
        sent = under_way.setdefault(number, [0, 0])
        if source == clients.get(number) and sent[1]:
            yield sum(sent)
            sent[:] = 0, 0
        sent[0 if source == clients.get(number) else 1] += int(length)
    yield from (sum(sent) for sent in under_way.values())


def main() -> None:
    """Runs the study and prints the three counts."""
    if shutil.which("tshark") is None:
        sys.exit("bench/one_byte.py: tshark is not installed: apt-get install tshark")
    figures = load("one-byte").published
    rows = next(table.rows for table in load("one-byte").part.tables)
    by_hand = {
        row.where.stack: figures.figure(TABLE, row.published, "bytes") for row in rows if figures and row.published
    }
    with tempfile.TemporaryDirectory(prefix="callbench-") as folder:
        out = Path(folder) / "run"
        chosen = [word for glob in sys.argv[1:] for word in ("--select", glob)]
        made = [
            sys.executable,
            "-m",
            "callbench",
            "run",
            "one-byte",
            *chosen,
            "--pcap",
            "--no-baselines",
            "--out",
            str(out),
        ]
        subprocess.run(made, check=True, stdout=subprocess.DEVNULL)
        run = Record(out)
        with run.connection() as connection:
            found = ledgers(connection)
            names = dict(connection.execute("SELECT cell, stack FROM cells").fetchall())
        print(f"{'stack':38} {'ledger':>7} {'tshark':>7} {'by hand':>8}  ours over by hand")
        wrong = 0
        for cell, ledger in sorted(found.items(), key=lambda pair: stream(pair[1].phases[STEADY])):
            ours = stream(ledger.phases[STEADY])
            theirs = Counter(exchanges(out / "captures" / f"{cell}.pcap")).most_common(1)[0][0]
            hand = by_hand.get(names[cell])
            over = f"{ours / hand - 1:+.1%}" if hand else ""
            exact = "" if ledger.exact else "  (varies)"
            print(f"{names[cell]:38} {ours:7g} {theirs:7d} {hand or '':>8}  {over}{exact}")
            wrong += ledger.exact and ours != theirs
        for claim in subject(run).judged:
            print(f"{claim.text} {claim.verdict}")
            for compared in claim.compared:
                print(f"  {compared.comparison.label}: {compared.verdict}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
