"""What a schema says of the size and the range of values: what the generator keeps to, and what it disregards."""

from collections.abc import Mapping

from callbench.catalog.generator.scalars import FORMATS
from callbench.model.service.limits import Limits

# Words that exclude values, and that no generated payload is held to.
_DISREGARDED = (
    *("not", "pattern", "contains", "minContains", "maxContains", "propertyNames", "dependentRequired"),
    *("patternProperties", "if", "unevaluatedItems", "contentMediaType", "prefixItems", "discriminator"),
)
_OF_OBJECTS = ("minProperties", "maxProperties")
# They say how wide a number is, or how bytes are written, which the type says here.
WHOLE_FORMATS = frozenset({"int32", "int64", "uint32", "uint64", "int8", "int16", "uint8", "uint16"})
NUMBER_FORMATS = WHOLE_FORMATS | {"float", "double"}
_BYTES = {"byte", "binary", "base64"}
_TYPED = NUMBER_FORMATS | _BYTES
_WIDTHS = {
    "int8": Limits(least=-(2**7), most=2**7 - 1),
    "int16": Limits(least=-(2**15), most=2**15 - 1),
    "uint8": Limits(least=0, most=2**8 - 1),
    "uint16": Limits(least=0, most=2**16 - 1),
}
"""Integers that are narrower than any of this program's."""
# Formats that no validator looks at, or that say how a text is shown.
_FREE = {"password", "string", "text", "number", "integer", "boolean", "markdown", "html"}


# What a word has to be. A document that is otherwise fine often has `required: true`, or a bound as a text.
_SIZES = ("minItems", "maxItems", "minProperties", "maxProperties", "minLength", "maxLength")
_TEXT_ENCODINGS = {"base64", "7bit", "8bit", "binary", "identity"}


def limits_of(schema: dict[str, object]) -> Limits:
    """The limits that the generator keeps to."""
    least, most = _number(schema.get("minimum")), _number(schema.get("maximum"))
    above, below = _number(schema.get("exclusiveMinimum")), _number(schema.get("exclusiveMaximum"))
    # Until draft 4, the words said whether the bounds themselves are allowed.
    if schema.get("exclusiveMinimum") is True:
        least, above = None, least
    if schema.get("exclusiveMaximum") is True:
        most, below = None, most
    multiple = _number(schema.get("multipleOf"))
    of_map = "properties" not in schema
    empty = schema.get("items") is False and "prefixItems" not in schema
    written = Limits(
        least_size=_size(schema, "minItems", "minProperties" if of_map else ""),
        most_size=0 if empty else _size(schema, "maxItems", "maxProperties" if of_map else ""),
        unique=schema.get("uniqueItems") is True,
        least_length=_size(schema, "minLength"),
        most_length=_size(schema, "maxLength"),
        least=least,
        most=most,
        above=above,
        below=below,
        multiple=multiple if multiple and multiple > 0 else None,
    )
    form = schema.get("format")
    return written.both(_WIDTHS[form]) if isinstance(form, str) and form in _WIDTHS else written


def disregarded(schema: dict[str, object]) -> frozenset[str]:
    """Words, and formats, that payloads from the generator are not held to."""
    words = {word for word in _DISREGARDED if word in schema} | _misused(schema)
    if "properties" in schema:
        words |= {word for word in _OF_OBJECTS if word in schema}
    dependencies = schema.get("dependencies")
    if isinstance(dependencies, dict) and any(isinstance(needed, list) for needed in dependencies.values()):
        words.add("dependencies")
    words |= {word for word in ("readOnly", "writeOnly") if schema.get(word) is True}
    if isinstance(schema.get("items"), list):
        words.add("items of each place")
    form = schema.get("format")
    as_bytes = schema.get("contentEncoding") == "base64" or (isinstance(form, str) and form in _BYTES)
    encoding = schema.get("contentEncoding")
    if isinstance(encoding, str) and encoding.lower() not in _TEXT_ENCODINGS:
        words.add("contentEncoding")
    if as_bytes and {"minLength", "maxLength"} & set(schema):
        words.add("minLength or maxLength of bytes")
    if isinstance(form, str) and form not in _TYPED | _FREE | FORMATS:
        words.add(f"format: {form}")
    if isinstance(form, str) and form in FORMATS and {"minLength", "maxLength"} & set(schema):
        words.add("minLength or maxLength of a format")
    return frozenset(words)


def _misused(schema: Mapping[str, object]) -> set[str]:
    """Words whose values are not what such a word has, so that they say nothing."""
    wrong = {word for word in ("minimum", "maximum", *_SIZES) if word in schema and _number(schema[word]) is None}
    for word in ("exclusiveMinimum", "exclusiveMaximum"):
        if word in schema and _number(schema[word]) is None and not isinstance(schema[word], bool):
            wrong.add(word)
    multiple = _number(schema.get("multipleOf"))
    if "multipleOf" in schema and (multiple is None or multiple <= 0):
        wrong.add("multipleOf")
    required = schema.get("required", [])
    # A parameter of Swagger 2.0 is a schema itself, and its `required` is the parameter's.
    if isinstance(required, bool) and isinstance(schema.get("in"), str):
        required = []
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        wrong.add("required")
    kinds = {"uniqueItems": bool, "format": str, "contentEncoding": str, "pattern": str}
    return wrong | {word for word, kind in kinds.items() if word in schema and not isinstance(schema[word], kind)}


def _size(schema: dict[str, object], *words: str) -> int | None:
    for word in words:
        size = _number(schema.get(word))
        if size is not None:
            return int(size)
    return None


def _number(value: object) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
