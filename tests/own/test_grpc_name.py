"""The names of a service over gRPC, as protobuf's own compiler takes them."""

import tempfile
from pathlib import Path

import pytest
from everything_service import SCHEMA
from hypothesis import HealthCheck, given, settings
from test_folder import schemas

from callbench.catalog.own.proto_text import grpc_text
from callbench.catalog.own.protoc import compiled
from callbench.model.service.grpc_name import service_name
from callbench.model.service.schema import Enumeration, Message, OwnCall, Schema


def _named(name: str, *messages: str, values: tuple[str, ...] = ("none",)) -> Schema:
    made = tuple(Message(one, ()) for one in (*messages, "Asked"))
    enumeration = Enumeration("Kind", tuple((one, number) for number, one in enumerate(values)))
    return Schema(name, made, (OwnCall("Do", "Asked", "Asked"),), (enumeration,))


@pytest.mark.parametrize(
    ("schema", "name"),
    [
        (_named("Orders"), "orders.Orders"),
        (_named("order desk-2"), "order_desk_2.OrderDesk2"),
        (_named("Order", "Order"), "order.OrderService"),
        (_named("Order", "Order", "OrderService"), "order.OrderService2"),
        (_named("Order", "OrderClient"), "order.OrderService"),
        (_named("Order", values=("Order",)), "order.OrderService"),
        (_named("google"), "google_service.Google"),
        (_named("7"), "service_7.Service7"),
        (_named(""), "service.Service"),
        (SCHEMA, "everything.EverythingService"),
    ],
)
def test_the_name_is_no_message_s(schema: Schema, name: str) -> None:
    """Nor that of a class that stubs are made of."""
    assert service_name(schema) == name
    _compiles(schema)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(schemas())
def test_the_compiler_finds_the_service_by_its_name(schema: Schema) -> None:
    """Whatever its title is, and whatever its messages are called."""
    _compiles(schema)


def _compiles(schema: Schema) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "schema.proto").write_text(grpc_text(schema))
        (file,) = (one for one in compiled(Path(folder), "schema.proto").file if one.name == "schema.proto")
    (service,) = file.service
    assert f"{file.package}.{service.name}" == service_name(schema)
    methods = [(one.name, one.input_type, one.output_type) for one in service.method]
    assert methods == [
        (call.name, f".{file.package}.{call.request}", f".{file.package}.{call.answer}") for call in schema.calls
    ]
