"""One call that was made, as `--dry-run` prints it: with its secrets masked."""

from callbench.adapter.stack.one_call import OneCall
from callbench.cli.outcome.output import print_json, print_line
from callbench.model.secrets import SECRETS

# Of a message, in the terminal.
_MOST_LINES = 40


def show(call: OneCall, takes: str, *, as_json: bool) -> None:
    """Print a call, and how long the test takes. A wrong answer is printed before it is raised.

    Args:
        call: that was made.
        takes: how long the test takes, in words.
        as_json: whether it is for programs.

    Raises:
        CallbenchError: the answer is wrong.
    """
    messages = {"request": _text(call.request), "answer": _text(call.answer)}
    wrong = None if call.wrong is None else str(call.wrong)
    if as_json:
        print_json({"server": call.server, **messages, "unseen": call.unseen or None, "wrong": wrong, "takes": takes})
    else:
        for name, text in messages.items():
            if text is not None:
                _print_message(f"{name} {'to' if name == 'request' else 'of'} {call.server}:", text)
        if call.unseen:
            print_line(f"A call to {call.server} was made: {call.unseen}.")
        if wrong is None:
            print_line("The answer is right.")
        print_line(f"The test takes {takes}. Nothing was measured, and there is no record.")
    if call.wrong is not None:
        raise call.wrong


def _text(message: bytes | None) -> str | None:
    """Return a message as text without secrets. What is no text is written in digits."""
    if message is None:
        return None
    text = message.decode(errors="backslashreplace").replace("\r\n", "\n")
    head, end, body = text.partition("\n\n")
    lines = "\n".join(map(_line, head.split("\n")))
    SECRETS.learn(body)
    shown = SECRETS.masked_text(f"{lines}{end}{body}")
    return "".join(letter if letter in "\n\t" or letter.isprintable() else "\ufffd" for letter in shown)


def _line(line: str) -> str:
    """Return a line of a head. A secret may be too short to be found by itself."""
    name, colon, value = line.partition(": ")
    return ": ".join(SECRETS.masked([name, value])) if colon else line


def _print_message(title: str, text: str) -> None:
    lines = SECRETS.masked_text(title), *text.rstrip("\n").split("\n")
    for line in lines[: _MOST_LINES + 1]:
        print_line(line if line is lines[0] else f"  {line}")
    if len(lines) > _MOST_LINES + 1:
        print_line(f"  and {len(lines) - _MOST_LINES - 1} more lines: --json has the first 64 KiB")
