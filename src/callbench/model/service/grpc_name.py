"""The names that gRPC gives to a service of the user's own: its package, its service and the path of each call."""

from itertools import chain, count

from callbench.model.service.identifiers import pascal, snake
from callbench.model.service.schema import Schema

_AFTER_IT = ("", "Client", "Server", "Grpc", "Stub", "Base")
"""What generators of stubs write behind the service's name. A message of such a name would be defined twice."""


def package(schema: Schema) -> str:
    """The package of `schema.proto`. It keeps the messages apart from protobuf's own, which are in `google`."""
    name = snake(schema.name, "service")
    return f"{name}_service" if name == "google" else name


def bare_service_name(schema: Schema) -> str:
    """The name of the service in its package: `Orders`. It is no type's name, and no value's of an enumeration."""
    taken = {message.name for message in schema.messages}
    for enumeration in schema.enumerations:
        taken |= {enumeration.name, *(name for name, _ in enumeration.values)}
    name = pascal(schema.name, "Service")
    candidates = chain([name, f"{name}Service"], (f"{name}Service{number}" for number in count(2)))
    return next(candidate for candidate in candidates if not any(candidate + after in taken for after in _AFTER_IT))


def service_name(schema: Schema) -> str:
    """The full name of the service: `orders.Orders`. The path of a call over gRPC is `/orders.Orders/PlaceOrder`."""
    return f"{package(schema)}.{bare_service_name(schema)}"
