"""The generators of an imported service: `generators/CALL.json` in its folder. The skeletons are its payloads."""

import json
from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from callbench.catalog.generator.calibrate import calibrated
from callbench.catalog.generator.draw import Generator
from callbench.catalog.generator.fit import fit
from callbench.catalog.generator.fitted import FORMAT, Fitted
from callbench.catalog.generator.from_schema import from_schema
from callbench.model.errors import BadInput
from callbench.model.service.imported import Imported
from callbench.model.service.schema import OwnCall

FOLDER = "generators"


def fitted_to(service: Imported, call: OwnCall) -> Fitted:
    """A generator for the requests and answers of a call: fitted to its payloads, or made from the schema alone.

    Raises:
        BadInput: there are no payloads, and a message contains itself without an end.
    """
    pairs = service.payloads.get(call.name, ())
    messages = call.request, call.answer
    if not pairs:
        return from_schema(service.schema, messages)
    return calibrated(fit(service.schema, messages, [[pair.request, pair.answer] for pair in pairs]), service.schema)


def write(folder: Path, generators: Mapping[str, Fitted]) -> None:
    """Writes generators, by call, into the folder of their service.

    Raises:
        OSError: the folder cannot be written.
    """
    for call, fitted in generators.items():
        (folder / FOLDER).mkdir(exist_ok=True)
        text = fitted.model_dump_json(exclude={"skeletons"}, indent=1)
        (folder / FOLDER / f"{call}.json").write_text(f"{text}\n", encoding="utf-8")


def samples(folder: Path, service: Imported) -> Mapping[str, int]:
    """How many of the first payloads of each call are samples; generated ones stand behind them.

    A call without a generator in the folder is left out: nobody knows which of its payloads are samples.

    Raises:
        BadInput: a file is wrong.
    """
    counted = {}
    for call in service.schema.calls:
        file = folder / FOLDER / f"{call.name}.json"
        if file.is_file() and service.payloads.get(call.name):
            try:
                counted[call.name] = int(json.loads(file.read_text(encoding="utf-8"))["given"])
            except (OSError, ValueError, TypeError, KeyError, RecursionError):
                raise BadInput(f"{file} is no generator: remove it, and it is fitted again") from None
    return counted


def read(folder: Path, service: Imported, call: OwnCall) -> Generator:
    """The generator of a call: as it is in the folder, or fitted now if it is not there.

    Raises:
        BadInput: the file is wrong.
    """
    file = folder / FOLDER / f"{call.name}.json"
    pairs = service.payloads.get(call.name, ())
    if not pairs or not file.is_file():
        return Generator(fitted_to(service, call), service.schema)
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
        document["skeletons"] = []
        fitted = Fitted.model_validate(document)
        # Behind the given payloads are generated ones.
        fitted = fitted.model_copy(
            update={"skeletons": [[pair.request, pair.answer] for pair in pairs[: fitted.given]]}
        )
    except (OSError, ValueError, TypeError, RecursionError) as error:
        why = error.errors()[0]["msg"] if isinstance(error, ValidationError) else error
        raise BadInput(f"{file} is no generator ({why}): remove it, and it is fitted again") from None
    if not fitted.skeletons or fitted.format != FORMAT or fitted.messages != (call.request, call.answer):
        raise BadInput(f"{file} is of another version or of another call: remove it, and it is fitted again")
    return Generator(fitted, service.schema)
