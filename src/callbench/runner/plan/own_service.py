"""An imported service in the catalogue: the stacks that carry its calls, with programs that have them compiled in."""

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from callbench.adapter.generators.languages import LANGUAGES
from callbench.adapter.generators.program import built, host
from callbench.catalog.catalogue import Catalogue, adapter_of
from callbench.catalog.generator import file
from callbench.catalog.own import folder, place
from callbench.catalog.own import study as own_study
from callbench.catalog.study.calls import CALLS
from callbench.model import machine_limits
from callbench.model.cell import Stack, sides_of
from callbench.model.errors import BadInput, CallbenchError
from callbench.model.installation import cache
from callbench.model.service.imported import Imported, Pair

NATIVE = "native"
ALL = "all"
MADE = 64
"""How many pairs are made of a call without payloads."""


def added(
    known: Catalogue, named: str | Path | None, stacks: Iterable[Stack] = (), *, compiled: bool = True
) -> Catalogue:
    """A catalogue whose stacks carry the calls of a service.

    Args:
        known: what there is.
        named: the service's folder; anything else changes nothing.
        stacks: what is measured: the languages of these alone are compiled, besides Rust.
        compiled: whether the code is to be compiled, if it is not; else nothing of it can be started.

    Raises:
        BadInput: the folder is wrong, or a language's tools are missing.
        CallbenchError: the code cannot be compiled.
    """
    if named is None or not place.is_service(Path(named)):
        return known
    where = Path(named).absolute()
    service, made = read(where)
    known = for_service(known)
    if not compiled:
        return _carrying(known, service, dict.fromkeys((NATIVE, *LANGUAGES), ()))
    program = built(service.schema)
    # Read by the programs themselves, however many there are.
    given = {call: path for call, path in own_study.calls(where).items() if path is not None}
    files = [f"{call}={path}" for call, path in {**given, **_written(service, made)}.items()]
    programs: dict[str, tuple[str, ...]] = {NATIVE: (str(program), *files)}
    for name in _languages(known, stacks):
        programs[name] = (str(host(program)), name, *LANGUAGES[name](service, where), "--", *files)
    return _carrying(known, service, programs)


def for_service(known: Catalogue) -> Catalogue:
    """A catalogue with what a service's study can measure: of a compiled language, only what carries its calls."""
    adapters = [
        replace(
            adapter,
            manifest=replace(adapter.manifest, stacks=tuple(stack for stack in adapter.manifest.stacks if stack.own)),
            stacks=tuple(stack for stack in adapter.stacks if stack.own),
        )
        if adapter.name in LANGUAGES
        else adapter
        for adapter in known.adapters
    ]
    return replace(known, adapters=tuple(adapters), own=True)


def languages(text: str | None) -> tuple[str, ...]:
    """The languages that `--languages` names, separated by commas; all for `all`, none for None.

    Raises:
        BadInput: one of them has no generator.
    """
    if text is None:
        return ()
    if text == ALL:
        return tuple(LANGUAGES)
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",")))
    for name in names:
        if name not in LANGUAGES:
            raise BadInput(f"--languages {text}: {name!r} is none of {', '.join(LANGUAGES)}; or give {ALL}")
    return names


def why_not_compiled(named: str | Path, language: str) -> str | None:
    """Compile a service's types in a language, if that was not done before; return why it cannot be done.

    Raises:
        BadInput: the folder is wrong.
    """
    where = Path(named).absolute()
    service, _ = read(where)
    try:
        LANGUAGES[language](service, where)
    except CallbenchError as failure:
        return str(failure)
    return None


def _languages(known: Catalogue, stacks: Iterable[Stack]) -> list[str]:
    """The languages of these stacks, without those that cannot run here: their cells are excluded with the reason."""
    used = {side.partition("/")[0] for stack in stacks for side in sides_of(stack.id)}
    return [
        adapter.name
        for adapter in known.adapters
        if adapter.name in used and adapter.name in LANGUAGES and adapter.why_not is None
    ]


def _carrying(known: Catalogue, service: Imported, programs: Mapping[str, tuple[str, ...]]) -> Catalogue:
    """A catalogue whose adapters with a program here carry the service. An empty program changes nothing of it."""
    adapters = [
        adapter_of(
            replace(adapter.manifest, program=programs[adapter.name] or adapter.manifest.program, service=service)
        )
        if adapter.name in programs
        else adapter
        for adapter in known.adapters
    ]
    return replace(known, adapters=tuple(adapters))


def read(where: Path) -> tuple[Imported, tuple[str, ...]]:
    """The service of a folder, and its calls without payloads of the user: they have some made from the schema.

    Raises:
        BadInput: the folder is wrong, or a call has a name of Callbench's own.
    """
    service = folder.read(where)
    ours = [call.name for call in service.schema.calls if call.name in CALLS]
    if ours:
        raise BadInput(
            f"{where / place.SERVICE}: the call {ours[0]} has the name of a call of Callbench's own: rename it"
        )
    made: dict[str, tuple[Pair, ...]] = {}
    for call in service.schema.calls:
        if not service.payloads.get(call.name):
            generator = file.read(where, service, call)
            made[call.name] = tuple(Pair(*generator.sample(number)) for number in range(MADE))
    return replace(service, payloads={**service.payloads, **made}), tuple(made)


def _written(service: Imported, made: tuple[str, ...]) -> dict[str, Path]:
    """The files with the payloads of these calls, in the cache.

    Raises:
        CallbenchError: the cache cannot be written.
    """
    files = {}
    for call in made:
        pairs = (json.dumps({"request": pair.request, "answer": pair.answer}) for pair in service.payloads[call])
        text = "\n".join(pairs) + "\n"
        path = cache() / "own" / "payloads" / f"{hashlib.sha256(text.encode()).hexdigest()[:32]}.jsonl"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.is_file():
                beside = path.with_suffix(f".{os.getpid()}")
                beside.write_text(text, encoding="utf-8")
                beside.replace(path)
        except OSError as failure:
            raise machine_limits.written(f"the payloads of {call} cannot be kept in {path}", failure) from failure
        files[call] = path
    return files
