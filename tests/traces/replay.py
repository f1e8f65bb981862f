"""Plays all golden traces with an adapter or a runner, and prints each number that differs.

python tests/traces/replay.py COMMAND... Exit code 0: all are as they should be; 1: some differ, or the program failed.
"""

import json
import subprocess
import sys
from typing import IO, Any

from comparing import differences, golden_traces, request


def received(lines: IO[str]) -> dict[str, Any]:
    """Give the next line that is no interval.

    Raises:
        EOFError: the program has ended.
    """
    for line in lines:
        answer: dict[str, Any] = json.loads(line)
        if answer.get("is") != "interval":
            return answer
    raise EOFError


def play(to: IO[str], lines: IO[str]) -> int:
    """Play all traces; give how many differ."""
    received(lines)
    wrong = 0
    for number, (name, trace) in enumerate(golden_traces().items(), start=1):
        print(json.dumps(request(trace, number)), file=to, flush=True)
        found = differences(trace["expect"], received(lines))
        wrong += bool(found)
        sys.stdout.write(f"{name}: {'; '.join(found) or 'as it should be'}\n")
    return wrong


def main(command: list[str]) -> int:
    """Play all traces with the program that the command starts."""
    if not command:
        sys.stderr.write("say which program: replay.py COMMAND...\n")
        return 2
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        try:
            return 1 if play(program.stdin, program.stdout) else 0
        except EOFError:
            sys.stderr.write("the program ended before it had played all traces\n")
            return 1
        except (BrokenPipeError, json.JSONDecodeError) as problem:
            sys.stderr.write(f"the program cannot be talked with: {problem}\n")
            return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
