"""Swagger 2.0: the body is a parameter, other parameters are schemas themselves, and an answer has one schema."""

from callbench.catalog.imports.json_schema.node import SchemaPart
from callbench.catalog.imports.openapi.operations import NO_BODY, Body, Examples, Operations, of_schema
from callbench.catalog.imports.samples.recorded import is_json

_FORM = ("The body is a form.", "Its fields are keys of the request, as if it were JSON.")
# Nodes are known by the addresses of their schemas, so there is one object for all files.
_FILE: dict[str, object] = {"type": "string", "format": "binary"}


class Swagger(Operations):
    """Reads the operations of such a document."""

    def _given(self, item: SchemaPart, operation: SchemaPart) -> tuple[list[SchemaPart], Body]:
        parameters = self.parameters(item, operation)
        # A parameter of the operation replaces that of the path, whatever the name: there is one body.
        bodies = [parameter for parameter in parameters if parameter.schema.get("in") == "body"]
        if any(parameter.schema.get("in") == "formData" for parameter in parameters):
            self.mapper.losses.add(operation.place, _FORM)
        if not bodies:
            return parameters, NO_BODY
        schema = bodies[-1].below_or_nothing("schema")
        self._other_media(operation, "consumes")
        others = [parameter for parameter in parameters if parameter not in bodies]
        return others, Body(schema, of_schema(self.target(schema)), bodies[-1].schema.get("required") is True)

    def _schema(self, parameter: SchemaPart) -> SchemaPart:
        if parameter.schema.get("type") == "file":
            return SchemaPart(_FILE, parameter.resolver, parameter.place)
        return parameter

    def _answered(self, operation: SchemaPart, answer: SchemaPart) -> Body:
        if "schema" not in answer.schema:
            return NO_BODY
        kind = self._other_media(operation, "produces")
        schema = answer.below("schema")
        target = self.target(schema)
        if isinstance(target.schema, dict) and target.schema.get("type") == "file":
            schema = SchemaPart(_FILE, schema.resolver, schema.place)
        examples = self.table(answer, "examples")
        named = next((name for name in [kind, "application/json", *examples] if name in examples), "")
        given: Examples = {"example": examples[named].schema} if named else of_schema(target)
        return Body(schema, given)

    def _other_media(self, operation: SchemaPart, word: str) -> str:
        """The media type of a body, JSON if there is a choice; another one is a loss."""
        declared = operation.schema.get(word, self._references.root().schema.get(word))
        kinds = [kind for kind in declared if isinstance(kind, str)] if isinstance(declared, list) else []
        if not kinds:
            return "application/json"
        chosen = min(kinds, key=lambda kind: (not is_json(kind), kind != "application/json"))
        if not is_json(chosen):
            side = "request" if word == "consumes" else "answer"
            self.mapper.losses.add(operation.place, (f"The {side} is {chosen}.", "It is treated as if it were JSON."))
        return chosen
