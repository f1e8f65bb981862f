"""Answers that a user gives for samples of requests that have none: `NAME=FILE`, or FILE for the only call."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from callbench.catalog import user_json
from callbench.model.errors import BadInput
from callbench.model.service.identifiers import pascal
from callbench.model.service.imported import Json
from callbench.model.suggestions import allowed_names

LINES = (".jsonl", ".ndjson")
LARGEST = 64 * 2**20
"""Bytes of a file."""


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """A file with answers of a call.

    Attributes:
        call: its name; empty: the only call that has no answer.
        file: with one answer in JSON, or with one on each line.
    """

    call: str
    file: Path

    def values(self) -> Iterator[tuple[Json, str]]:
        """The answers, each with its place.

        Raises:
            BadInput: the file cannot be read, is no JSON, or is empty.
        """
        try:
            with self.file.open("rb") as opened:
                content = opened.read(LARGEST + 1)
        except OSError as failure:
            raise BadInput(f"--answer: cannot read {self.file}: {failure.strerror}") from None
        if len(content) > LARGEST:
            raise BadInput(f"--answer: {self.file} is larger than {LARGEST >> 20} MiB: give fewer answers")
        if not content.strip():
            raise BadInput(f"--answer: {self.file} is empty: it holds an answer in JSON")
        if self.file.suffix.lower() not in LINES:
            yield user_json.parsed(content, str(self.file)), f"{self.file}#"
            return
        for number, line in enumerate(content.splitlines(), 1):
            if line.strip():
                place = f"{self.file}, line {number}"
                yield user_json.parsed(line, place), f"{place}#"


def given_answer(text: str) -> GivenAnswer:
    """Read what a user wrote.

    Args:
        text: `NAME=FILE` or `FILE`. A file whose name has an equals sign is found all the same.

    Raises:
        BadInput: there is no such file.
    """
    if Path(text).is_file():
        return GivenAnswer("", Path(text))
    name, equals, file = text.partition("=")
    path = Path(file if equals else text)
    if not path.is_file():
        trouble = "is no file" if path.exists() and str(path) not in ("", ".") else "does not exist"
        raise BadInput(f"--answer {text}: {path} {trouble}; give FILE, or CALL=FILE, with an answer in JSON")
    return GivenAnswer(name.strip(), path)


def by_call(
    answers: Sequence[GivenAnswer], unanswered: Sequence[str], answered: Sequence[str], source: str
) -> Mapping[str, list[tuple[Json, str]]]:
    """The answers of each call, each with its place.

    Args:
        answers: what the user gave.
        unanswered: the calls that lack an answer.
        answered: all other calls.
        source: the samples, for messages.

    Raises:
        BadInput: an answer is of no call that lacks one, or a file cannot be read.
    """
    found: dict[str, list[tuple[Json, str]]] = defaultdict(list)
    for given in answers:
        found[_call(given, unanswered, answered, source)] += given.values()
    return found


def _call(given: GivenAnswer, unanswered: Sequence[str], answered: Sequence[str], source: str) -> str:
    if not unanswered:
        raise BadInput(f"--answer {given.file}: every sample of {source} has its answer; leave the option out")
    if not given.call:
        if len(unanswered) == 1:
            return unanswered[0]
        names = ", ".join(unanswered[:3]) + (f" and {len(unanswered) - 3} more" if unanswered[3:] else "")
        raise BadInput(
            f"--answer {given.file}: {source} has {len(unanswered)} calls that it can be of ({names}): say which, as"
            f" --answer {unanswered[0]}={given.file}"
        )
    wanted = pascal(given.call, "Call").lower()
    for name in unanswered:
        if name.lower() == wanted:
            return name
    if any(name.lower() == wanted for name in answered):
        raise BadInput(
            f"--answer {given.call}={given.file}: the samples of {given.call} have their answers; leave it out"
        )
    raise BadInput(f'--answer: {source} has no call "{given.call}": {allowed_names(given.call, unanswered)}')
