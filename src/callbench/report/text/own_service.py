"""What an imported service has: calls, messages, payloads, and what its source said that no format can carry."""

from collections.abc import Iterator
from pathlib import Path

from callbench.analysis.wording.words import counted
from callbench.catalog.encoders.byte_table import CallBytes, byte_table
from callbench.catalog.generator import file as generator_files
from callbench.catalog.own.folder import grouped
from callbench.catalog.own.proto_text import proto_text
from callbench.model.service.imported import Imported
from callbench.report.text import byte_table as byte_lines

SCHEMA_LINES = 60
"""Lines of an inferred schema that are printed."""
_INFERRED = {"samples", "log", "har", "capture"}
CALLS = 50
"""Calls that are printed. `service.toml` and `--json` have all."""
PLACES = 3
"""Places that are printed for a loss. `service.toml` and `--json` have all."""


def lines(service: Imported, folder: Path) -> list[str]:
    """The summary of a service.

    Args:
        service: what was imported.
        folder: if it is.
    """
    schema = service.schema
    counts = [
        counted(len(schema.calls), "call"),
        counted(len(schema.messages), "message"),
        counted(len(schema.enumerations), "enumeration"),
    ]
    summary = [f"{folder}: {schema.name}, from {service.source} ({service.form})", f"  {', '.join(counts)}"]
    for call in schema.calls[:CALLS]:
        http = f"  {call.method} {call.path}".rstrip()
        pairs = counted(len(service.payloads.get(call.name, ())), "payload")
        summary.append(f"  {call.name}({call.request}) -> {call.answer}{http}, {pairs}")
    if len(schema.calls) > CALLS:
        summary.append(f"  and {len(schema.calls) - CALLS:,} more: service.toml has them")
    summary += [f"  {note}" for note in service.notes]
    losses = grouped(schema.losses)
    if losses:
        summary.append(f"{counted(len(schema.losses), 'loss', 'losses')}:")
    for (problem, mapped), places in losses.items():
        more = f" and {len(places) - PLACES} more" if len(places) > PLACES else ""
        summary += [f"  {problem} {mapped}", f"    {', '.join(places[:PLACES])}{more}"]
    return summary


def bytes_of_calls(service: Imported, folder: Path) -> Iterator[str]:
    """The table of bytes of each call in each format.

    Args:
        service: with its payloads.
        folder: where it is.
    """
    return byte_lines.lines(_bytes(service, folder))


def inferred(service: Imported) -> list[str]:
    """The schema that was inferred from samples, if it was and is short. `schema.proto` has it in any case."""
    if not set(service.form.split(" and ")) <= _INFERRED:
        return []
    text = proto_text(service.schema).splitlines()
    if len(text) > SCHEMA_LINES:
        return [f"The inferred schema has {len(text)} lines. See schema.proto."]
    return ["The inferred schema:", *(f"  {line}".rstrip() for line in text)]


def as_record(service: Imported, folder: Path) -> dict[str, object]:
    """The same for programs."""
    schema = service.schema
    return {
        "folder": str(folder),
        "name": schema.name,
        "source": service.source,
        "form": service.form,
        "imported": service.date.isoformat(),
        "messages": [message.name for message in schema.messages],
        "enumerations": [enumeration.name for enumeration in schema.enumerations],
        "calls": [
            {
                "name": call.name,
                "request": call.request,
                "answer": call.answer,
                "method": call.method,
                "path": call.path,
                "payloads": len(service.payloads.get(call.name, ())),
            }
            for call in schema.calls
        ],
        "losses": [
            {"problem": problem, "mapped": mapped, "places": places}
            for (problem, mapped), places in grouped(schema.losses).items()
        ],
        "notes": list(service.notes),
        "bytes": byte_lines.as_record(_bytes(service, folder)),
    }


def _bytes(service: Imported, folder: Path) -> tuple[CallBytes, ...]:
    return tuple(byte_table(service, generator_files.samples(folder, service)))
