"""The folder of an imported service: `service.toml`, `schema.proto`, `payloads/NAME.jsonl`, `generators/NAME.json`."""

import datetime as dt
import json
import shutil
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import tomli_w

from callbench.catalog.generator import file as generator_files
from callbench.catalog.generator.fitted import Fitted
from callbench.catalog.own.check import check
from callbench.catalog.own.conform import Conformance
from callbench.catalog.own.descriptors import Descriptors
from callbench.catalog.own.place import SCHEMA, SERVICE
from callbench.catalog.own.proto_text import proto_text
from callbench.catalog.own.protoc import compiled
from callbench.catalog.own.stored import ASSUMED
from callbench.model.errors import BadInput
from callbench.model.service.imported import Imported, Json, Pair
from callbench.model.service.schema import Loss, OwnCall, Schema

PAYLOADS = "payloads"
_KEYS = {"name": str, "source": str, "form": str, "imported": dt.date}
_CALL_KEYS = ("name", "request", "answer", "method", "path", "payloads")


def write(folder: Path, service: Imported, generators: Mapping[str, Fitted] = MappingProxyType({})) -> None:
    """Writes the folder, all of it or nothing. Its parent is made if need be.

    Args:
        folder: must not exist, or be empty.
        service: with its payloads.
        generators: by call, for more of them.

    Raises:
        BadInput: the schema breaks a rule, or the folder exists and is not empty.
    """
    text = proto_text(service.schema)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BadInput(f"{folder} exists; name another folder with --out, or remove it")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    except OSError as error:
        raise BadInput(f"cannot write {folder}: {error.strerror}; name another folder with --out") from None
    try:
        _fill(made, service, text, generators)
        made.chmod(0o755)
        made.replace(folder)
    except OSError as error:
        raise BadInput(f"cannot write {folder}: {error.strerror}; name another folder with --out") from None
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _fill(folder: Path, service: Imported, schema: str, generators: Mapping[str, Fitted]) -> None:
    (folder / SCHEMA).write_text(schema, encoding="utf-8")
    if service.payloads:
        (folder / PAYLOADS).mkdir()
    for name, pairs in service.payloads.items():
        with payloads(folder, name).open("w", encoding="utf-8", newline="\n") as file:
            for pair in pairs:
                file.write(json.dumps({"request": pair.request, "answer": pair.answer}) + "\n")
    generator_files.write(folder, generators)
    (folder / SERVICE).write_text(tomli_w.dumps(_document(service), multiline_strings=False), encoding="utf-8")


def payloads(folder: Path, call: str) -> Path:
    """The file with the payloads of a call."""
    return folder / PAYLOADS / f"{call}.jsonl"


def _document(service: Imported) -> dict[str, object]:
    schema = service.schema
    document: dict[str, object] = {
        "name": schema.name,
        "source": service.source,
        "form": service.form,
        "imported": service.date,
    }
    if service.notes:
        document["notes"] = list(service.notes)
    document |= {key: list(names) for key, names in zip(ASSUMED, _assumed(service), strict=True)}
    document["call"] = [_call(call, service) for call in schema.calls]
    if schema.losses:
        document["loss"] = [
            {"problem": problem, "mapped": mapped, "places": places}
            for (problem, mapped), places in grouped(schema.losses).items()
        ]
    return document


def _assumed(service: Imported) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return service.unanswered, service.generated


def grouped(losses: tuple[Loss, ...]) -> dict[tuple[str, str], list[str]]:
    """Losses by problem and mapping: the places of each, in order."""
    groups: dict[tuple[str, str], list[str]] = {}
    for loss in losses:
        groups.setdefault((loss.problem, loss.mapped), []).append(loss.place)
    return groups


def _call(call: OwnCall, service: Imported) -> dict[str, str]:
    document = {"name": call.name, "request": call.request, "answer": call.answer}
    document |= {key: value for key, value in (("method", call.method), ("path", call.path)) if value}
    if call.name in service.payloads:
        document["payloads"] = f"{PAYLOADS}/{call.name}.jsonl"
    return document


def read(folder: Path) -> Imported:
    """Reads the folder.

    Raises:
        BadInput: a file is missing or wrong. The sentence names the file and, where there is one, the line.
    """
    file = folder / SERVICE
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
        (folder / SCHEMA).read_bytes()
    except FileNotFoundError as error:
        raise BadInput(f"{error.filename} does not exist; make a folder with `callbench import`") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadInput(f"{file}: {error}") from None
    for key, kind in _KEYS.items():
        if not isinstance(document.get(key), kind):
            raise BadInput(f"{file}: {key} is missing or wrong; it is a {'date' if kind is dt.date else 'text'}")
    calls = _list(file, document, "call")
    descriptors = Descriptors(compiled(folder, SCHEMA))
    messages, enumerations = descriptors.types()
    schema = Schema(
        document["name"],
        messages,
        tuple(_read_call(file, number, call) for number, call in enumerate(calls, 1)),
        enumerations,
        tuple(_losses(file, document)),
    )
    try:
        check(schema)
    except BadInput as error:
        raise BadInput(f"{folder}: {error}") from None
    against = Conformance(schema)
    pairs = {
        call.name: _pairs(folder, entry["payloads"], call, against)
        for entry, call in zip(calls, schema.calls, strict=True)
        if "payloads" in entry
    }
    notes = tuple(str(note) for note in document.get("notes", ()))
    unanswered, generated = (tuple(map(str, document.get(key, ()))) for key in ASSUMED)
    return Imported(
        schema=schema,
        source=document["source"],
        form=document["form"],
        date=document["imported"],
        payloads=pairs,
        notes=notes,
        unanswered=unanswered,
        generated=generated,
    )


def _list(file: Path, document: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    of = document.get(key, [])
    if not isinstance(of, list) or not all(isinstance(entry, dict) for entry in of):
        raise BadInput(f"{file}: {key} must be a list of tables; begin each with [[{key}]]")
    return of


def _read_call(file: Path, number: int, call: Mapping[str, Any]) -> OwnCall:
    place = f"{file}: call {call.get('name', number)}"
    for key, value in call.items():
        if key not in _CALL_KEYS or not isinstance(value, str):
            raise BadInput(f"{place}: {key} is not known or no text; a call has: {', '.join(_CALL_KEYS)}")
    for key in _CALL_KEYS[:3]:
        if key not in call:
            raise BadInput(f"{place}: {key} is missing; a call has a name, a request and an answer")
    return OwnCall(call["name"], call["request"], call["answer"], call.get("method", ""), call.get("path", ""))


def _losses(file: Path, document: Mapping[str, object]) -> list[Loss]:
    try:
        return [
            Loss(str(place), str(loss["problem"]), str(loss["mapped"]))
            for loss in _list(file, document, "loss")
            for place in loss["places"]
        ]
    except (KeyError, TypeError):
        raise BadInput(f"{file}: a loss needs problem, mapped and places") from None


def _pairs(folder: Path, name: str, call: OwnCall, against: Conformance) -> tuple[Pair, ...]:
    file = folder / name
    if not file.resolve().is_relative_to(folder.resolve()):
        raise BadInput(f"{folder / SERVICE}: the payloads {name!r} are outside the folder; copy them into it")
    pairs = []
    try:
        with file.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    pairs.append(_pair(f"{file}, line {number}", line, call, against))
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"cannot read {file}: {error}; mend it, or take it out of {SERVICE}") from None
    return tuple(pairs)


def _pair(place: str, line: str, call: OwnCall, against: Conformance) -> Pair:
    try:
        pair: Json = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{place}: it is not JSON: {error}") from None
    if not isinstance(pair, dict) or set(pair) != {"request", "answer"}:
        raise BadInput(f'{place}: a line is {{"request": ..., "answer": ...}}')
    given = Pair(pair["request"], pair["answer"])
    try:
        left_out = against.pair(call, given)[1]
    except BadInput as error:
        raise BadInput(f"{place}: {error}") from None
    if left_out:
        raise BadInput(f"{place}: {left_out[0]} is a key that the schema lacks; add a field or take it out")
    return given
