"""Which messages hold a kind of value: only these need code of their own in a language whose JSON has the others."""

from collections.abc import Collection

from callbench.model.service.schema import Kind, Schema


def holding(schema: Schema, kinds: Collection[Kind]) -> frozenset[str]:
    """The messages with a field of one of the kinds, or with a field whose message holds one."""
    found: set[str] = set()
    before = -1
    while len(found) > before:
        before = len(found)
        found |= {message.name for message, field in schema.fields() if field.kind in kinds or field.type_name in found}
    return frozenset(found)
