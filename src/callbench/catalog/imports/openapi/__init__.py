"""OpenAPI 3.0 to 3.2, and Swagger 2.0: each operation is a call; its parameters and its body are the request."""

from collections.abc import Sequence

from callbench.catalog.imports.chosen import check
from callbench.catalog.imports.openapi.half_given import completed
from callbench.catalog.imports.openapi.openapi3 import OpenApi3
from callbench.catalog.imports.openapi.operations import Operations
from callbench.catalog.imports.openapi.swagger import Swagger
from callbench.catalog.imports.source import Options, Source, today
from callbench.catalog.own.conform import fitting
from callbench.model.errors import BadInput
from callbench.model.service.identifiers import snake
from callbench.model.service.imported import Imported
from callbench.model.service.schema import Schema


def read(sources: Sequence[Source], options: Options) -> Imported:
    """Reads an OpenAPI document.

    Raises:
        BadInput: it is of an unknown version or wrong, or refers to what may not be followed.
    """
    source = sources[0]
    document = source.document
    if not isinstance(document, dict):
        raise BadInput(f"{source.name}: an OpenAPI document is an object; mend it")
    form, reader = _reader(source, document.get("openapi"), document.get("swagger"), options)
    calls = tuple(reader.calls())
    if not reader.names:
        raise BadInput(f"{source.name}#/paths: there are no operations; add one")
    check(reader.names, options.calls, source.name)
    messages, enumerations = reader.mapper.types()
    info = document.get("info")
    title = info.get("title") if isinstance(info, dict) else None
    name = options.name or snake(str(title or source.stem), "service")
    schema = Schema(name, messages, calls, enumerations, reader.mapper.losses.all)
    made = list(completed(schema, reader.halves))
    pairs, notes = fitting(schema, {**reader.pairs, **{call: half for call, half, _ in made}}, "example")
    notes += [sentence for call, _, sentence in made if call in pairs]
    generated = tuple(call for call, _, _ in made if call in pairs)
    return Imported(schema, source.name, form, today(), pairs, tuple(notes), generated=generated)


def _reader(source: Source, openapi: object, swagger: object, options: Options) -> tuple[str, Operations]:
    """What is recognised, and what reads it. YAML takes `swagger: 2.0` for a number."""
    if openapi is None and str(swagger) == "2.0":
        return "swagger 2.0", Swagger(source, options)
    if str(openapi).startswith(("3.0", "3.1", "3.2")):
        return f"openapi {openapi}", OpenApi3(source, options)
    version = f"OpenAPI {openapi}" if openapi is not None else f"Swagger {swagger}"
    raise BadInput(f"{source.name}: {version:.60} is not supported; convert it to OpenAPI 3.0, 3.1 or 3.2")
