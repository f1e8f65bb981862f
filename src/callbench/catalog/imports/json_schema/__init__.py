"""JSON Schema, 2020-12 and the drafts before it: one call, whose request and answer are the document."""

from collections.abc import Sequence

from callbench.catalog.imports.json_schema.mapper import Mapper
from callbench.catalog.imports.json_schema.node import node
from callbench.catalog.imports.json_schema.references import References
from callbench.catalog.imports.reference_reader import ReferenceReader
from callbench.catalog.imports.source import Options, Source, today
from callbench.model.service.identifiers import pascal, snake
from callbench.model.service.imported import Imported
from callbench.model.service.schema import OwnCall, Schema


def read(sources: Sequence[Source], options: Options) -> Imported:
    """Reads a JSON Schema.

    Raises:
        BadInput: the document is wrong, or refers to what may not be followed.
    """
    source = sources[0]
    references = References(source, ReferenceReader(source, options))
    mapper = Mapper(references)
    root = references.root()
    title = root.schema.get("title") if isinstance(root.schema, dict) else None
    named = title if isinstance(title, str) else source.stem.removesuffix(".schema")
    name = mapper.message(node(root), pascal(named, "Document"))
    messages, enumerations = mapper.types()
    schema = Schema(
        options.name or snake(named, "service"),
        messages,
        (OwnCall("Echo", name, name),),
        enumerations,
        mapper.losses.all,
    )
    return Imported(
        schema, source.name, "json schema", today(), notes=("The schema has no calls: one call echoes it.",)
    )
