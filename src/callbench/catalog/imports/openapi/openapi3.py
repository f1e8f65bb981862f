"""OpenAPI 3.0 to 3.2: bodies and their examples stand under their media types."""

import json
from dataclasses import replace

from callbench.catalog.imports.json_schema.node import SchemaPart
from callbench.catalog.imports.openapi.operations import NO_BODY, Body, Examples, Operations, of_schema
from callbench.catalog.imports.samples.recorded import is_json

_NO_SCHEMA = ("The body has no schema.", "It is an empty message.")
_STREAM = ("The body is a stream of items.", "It is measured with one item.")
_ELSEWHERE = ("The example stands elsewhere (externalValue).", "It is left out.")


class OpenApi3(Operations):
    """Reads the operations of a document of these versions."""

    def _given(self, item: SchemaPart, operation: SchemaPart) -> tuple[list[SchemaPart], Body]:
        body = NO_BODY
        if "requestBody" in operation.schema:
            declared = self.followed(operation.below("requestBody"))
            body = replace(self._body(declared), required=declared.schema.get("required") is True)
        return self.parameters(item, operation), body

    def _schema(self, parameter: SchemaPart) -> SchemaPart:
        return self._body(parameter).schema or parameter.below_or_nothing("schema")

    def _answered(self, operation: SchemaPart, answer: SchemaPart) -> Body:  # noqa: ARG002 - only Swagger needs the operation
        return self._body(answer)

    def _body(self, of: SchemaPart) -> Body:
        """The schema and the examples of a body, in JSON if there is a choice."""
        media = self.table(of, "content")
        if not media:
            return NO_BODY
        kinds = sorted(media, key=lambda kind: (not is_json(kind), kind != "application/json"))
        chosen = self.followed(media[kinds[0]])
        if not {"schema", "itemSchema"} & set(chosen.schema):
            self.mapper.losses.add(chosen.place, _NO_SCHEMA)
        elif not is_json(kinds[0]):
            self.mapper.losses.add(chosen.place, (f"The body is {kinds[0]}.", "It is treated as if it were JSON."))
        if len({json.dumps(media[kind].schema, sort_keys=True, default=str) for kind in kinds}) > 1:
            what = (f"The body can also be {', '.join(kinds[1:])[:60]}.", f"It is measured as {kinds[0]}.")
            self.mapper.losses.add(of.place, what)
        examples = self._written_beside(chosen)
        if "itemSchema" in chosen.schema and "schema" not in chosen.schema:
            # Examples are of the whole stream.
            self.mapper.losses.add(chosen.place, _STREAM)
            return Body(chosen.below("itemSchema"), of_schema(self.target(chosen.below("itemSchema"))))
        schema = chosen.below("schema") if "schema" in chosen.schema else None
        if not examples and schema is not None:
            examples = of_schema(self.target(schema))
        return Body(schema, examples)

    def _written_beside(self, chosen: SchemaPart) -> Examples:
        """The examples of a body that stand beside its schema."""
        examples: Examples = {}
        for name, example in self.table(chosen, "examples").items():
            followed = self.followed(example).schema
            if "externalValue" in followed:
                self.mapper.losses.add(example.place, _ELSEWHERE)
            for word in ("dataValue", "value"):
                if word in followed:
                    examples.setdefault(name, followed[word])
        if "example" in chosen.schema:
            examples.setdefault("example", chosen.schema["example"])
        return examples
