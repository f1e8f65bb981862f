"""Shows that an adapter's memory does not grow with the number of calls: `python bench/memory.py [PROGRAM]`.

Drives `callbench-instrument` over the contract with 10^5 and then, in a process of its own, 10^8 calls, every call
timed, and prints the resident memory after each. It should differ by less than 1 MiB. 10^8 calls take ten seconds.
"""

import json
import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).resolve().parents[1] / "engine" / "target" / "release" / "callbench-instrument"


def main() -> None:
    """Prints both figures and their difference."""
    program = sys.argv[1] if len(sys.argv) > 1 else str(PROGRAM)
    few, many = (resident_after(program, calls) for calls in (10**5, 10**8))
    print(f"{'calls':>12} {'resident KiB':>12} {'peak KiB':>9}")
    for calls, (now, peak) in ((10**5, few), (10**8, many)):
        print(f"{calls:>12} {now:>12} {peak:>9}")
    print(f"difference: {many[0] - few[0]} KiB resident, {many[1] - few[1]} KiB at the peak")


def resident_after(program: str, calls: int) -> tuple[int, int]:
    """Return resident memory and its peak in KiB after so many calls, while the adapter still runs."""
    with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as adapter:
        conversation = Conversation(adapter)
        stack = "instrument/nothing"
        served = conversation.ask(do="serve", stack=stack, host="127.0.0.1", port=0, options={})
        conversation.ask(do="connect", stack=stack, endpoint=served["endpoint"], clients=1, timeout_ms=1000, options={})
        drive = {"call": "Empty", "arguments": {}, "calls": calls, "seconds": 0, "limit_seconds": 600, "timing": "each"}
        done = conversation.ask(do="drive", **drive)
        if done["calls"] != calls:
            raise SystemExit(f"{done['calls']} calls were made instead of {calls}: {done['errors']}")
        memory = resident(adapter.pid)
        conversation.ask(do="stop")
    return memory


class Conversation:
    """Asks and waits for the answer."""

    def __init__(self, adapter: "subprocess.Popen[str]") -> None:
        """Waits for hello."""
        self._adapter = adapter
        self._id = 0
        self._read()

    def ask(self, **request: object) -> dict[str, object]:
        """The answer to one request; an error ends the program."""
        self._id += 1
        if self._adapter.stdin is None:
            raise SystemExit("the adapter has no stdin")
        self._adapter.stdin.write(json.dumps({**request, "id": self._id}) + "\n")
        answer = self._read()
        while answer["is"] == "interval":
            answer = self._read()
        if answer["is"] == "error":
            raise SystemExit(f"{request['do']}: {answer['message']}")
        return answer

    def _read(self) -> dict[str, object]:
        line = self._adapter.stdout.readline() if self._adapter.stdout else ""
        if not line:
            raise SystemExit("the adapter has ended")
        answer: dict[str, object] = json.loads(line)
        return answer


def resident(pid: int) -> tuple[int, int]:
    """VmRSS and VmHWM in KiB."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    fields = dict(line.split(":", 1) for line in lines)
    now, peak = (int(fields[name].split()[0]) for name in ("VmRSS", "VmHWM"))
    return now, peak


if __name__ == "__main__":
    main()
