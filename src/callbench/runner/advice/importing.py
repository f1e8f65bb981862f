"""The service of a document or of a folder of samples that advice is asked of: imported, with the answers given."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from callbench.analysis.wording.words import some
from callbench.catalog.generator import filled
from callbench.catalog.imports import registry
from callbench.catalog.imports.given_answer import GivenAnswer, given_answer
from callbench.catalog.imports.samples.forms import SUFFIXES
from callbench.catalog.imports.source import Options, Source
from callbench.catalog.own import folder
from callbench.catalog.own.default_folder import default_folder
from callbench.catalog.own.place import is_service
from callbench.catalog.own.stored import keeps_assumptions, stored_assumptions
from callbench.model.errors import BadInput
from callbench.model.service.imported import Imported

MOST_QUESTIONS = 5
_MOST_FOLDERS = 100


@dataclass(frozen=True)
class Importing:
    """How a document is imported.

    Attributes:
        say: is given a sentence for each step.
        answers: of calls whose samples have requests alone.
        ask: asks a person a question and returns the answer; None: nobody can be asked.
    """

    say: Callable[[str], None]
    answers: Sequence[GivenAnswer] = ()
    ask: Callable[[str], str] | None = None


def sample_files(samples: Path) -> list[Path]:
    """The files of a folder that are samples by their names."""
    return sorted(file for file in samples.iterdir() if file.suffix.lower() in SUFFIXES and file.is_file())


def service_folder(document: Path, how: Importing) -> Path:
    """Import a document or a folder of samples, unless that was done before. Returns the folder of the service.

    A folder that exists already is neither changed nor removed. An import that has other answers gets another one.

    Raises:
        BadInput: the document is wrong, or an answer does not fit it.
    """
    if document.is_dir():
        _check_samples(document)
    options = Options(answers=tuple(how.answers))
    service = registry.service([str(document)], options)
    usual = _usual_folder(document, service)
    answers = how.answers or _asked(service, usual, how)
    if answers and not how.answers:
        service = registry.service([str(document)], replace(options, answers=tuple(answers)))
    for candidate in _folders(usual):
        if is_service(candidate):
            if not answers or _has_payloads(candidate, service):
                how.say(f"{candidate} is the service of an earlier import. Remove it to import {document} again.")
                return candidate
        elif not candidate.exists():
            folder.write(candidate, *filled.filled(service))
            how.say(_imported(document, candidate, service))
            return candidate
    raise BadInput(f"{usual} and {_MOST_FOLDERS - 1} folders named after it exist: remove those that nobody needs")


def _check_samples(samples: Path) -> None:
    """Check that a folder holds samples and no document of another format, which would be taken for one.

    Raises:
        BadInput: it does not.
    """
    files = sample_files(samples)
    if not files:
        raise BadInput(
            f"{samples} is no stored run, no imported service and has no samples ({', '.join(SUFFIXES)}): name one of"
            " these, a study, or a document such as order.json"
        )
    for file in files:
        recognised = registry.recognised(Source(str(file), file))
        if recognised.name not in registry.RECORDED:
            raise BadInput(f"{file} is a document ({recognised.title}) and no sample: name this file, or take it out")


def _usual_folder(document: Path, service: Imported) -> Path:
    usual = default_folder([str(document)], service)
    return usual.with_name(f"{usual.name}-service") if usual.exists() and usual.samefile(document) else usual


def _folders(usual: Path) -> Iterator[Path]:
    yield usual
    for number in range(2, _MOST_FOLDERS + 1):
        yield usual.with_name(f"{usual.name}-{number}")


def _asked(service: Imported, usual: Path, how: Importing) -> list[GivenAnswer]:
    """Ask for the answers that nobody gave, once a call, unless an earlier import has them."""
    known = is_service(usual) and keeps_assumptions(usual) and not stored_assumptions(usual)[0]
    if how.ask is None or known or len(service.unanswered) > MOST_QUESTIONS:
        return []
    said = {
        call: how.ask(f"File with an answer of {call} (empty: as large as its request)") for call in service.unanswered
    }
    return [replace(given_answer(text.strip()), call=call) for call, text in said.items() if text.strip()]


def _has_payloads(imported: Path, service: Imported) -> bool:
    """Whether an earlier import has every sample with its answer, and knows that it was given."""
    earlier = folder.read(imported)
    if not set(earlier.unanswered) <= set(service.unanswered):
        # An answer that is the request again was given all the same.
        return False
    there = {name: {_text([pair.request, pair.answer]) for pair in pairs} for name, pairs in earlier.payloads.items()}
    return all(
        _text([pair.request, pair.answer]) in there.get(name, ())
        for name, pairs in service.payloads.items()
        for pair in pairs
    )


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True)


def _imported(document: Path, imported: Path, service: Imported) -> str:
    """Say what was understood of a document."""
    counts = [(call.name, len(service.payloads.get(call.name, ()))) for call in service.schema.calls]
    calls = some([f"{name} ({count} given)" if count else name for name, count in counts])
    what = "call" if len(counts) == 1 else "calls"
    files = len(sample_files(document)) if document.is_dir() else 1
    were = f"{document} was" if files == 1 else f"{files} files of {document} were"
    return f"{were} imported as the service {imported}, with the {what} {calls}. You can read and change it."
