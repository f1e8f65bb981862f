"""What other people's parsers find in the same documents: the same names, with the same numbers."""

import json
from pathlib import Path
from typing import Any

import capnp
import fastavro
import thriftpy2
import zeep
from importing import DOCUMENTS, imported
from thriftpy2.thrift import TType
from zeep.transports import Transport

from callbench.model.service.schema import Kind, Schema, Shape

# thriftpy2 knows no unions, and has the number of a type where it stands.
THRIFT = {
    Kind.BOOL: {TType.BOOL},
    Kind.INT32: {TType.I32, TType.I16, TType.BYTE},
    Kind.INT64: {TType.I64},
    Kind.DOUBLE: {TType.DOUBLE},
    Kind.STRING: {TType.STRING},
    Kind.BYTES: {TType.BINARY, TType.STRING},
    Kind.ENUM: {TType.I32},
    Kind.MESSAGE: {TType.STRUCT},
}
THRIFT_SHAPES = {Shape.MANY: {TType.LIST, TType.SET, TType.MAP}, Shape.MAP: {TType.MAP}}


def test_thrift_as_thriftpy2_reads_it() -> None:
    schema = imported(DOCUMENTS / "parcels.thrift").schema
    module: Any = thriftpy2.load(str(DOCUMENTS / "parcels.thrift"), "parcels_thrift")
    for name in ("Parcel", "Content", "Refused"):
        message = schema.message(name)
        theirs = getattr(module, name).thrift_spec
        assert {field.number: field.json_name for field in message.fields} == {at: of[1] for at, of in theirs.items()}
        for field in message.fields:
            wrapped = (
                field.kind is Kind.MESSAGE and schema.message(field.type_name).wrapped and field.shape is Shape.ONE
            )
            kinds = {TType.LIST} if wrapped else THRIFT_SHAPES.get(field.shape, THRIFT[field.kind])
            assert theirs[field.number][0] in kinds, field.name
    values = next(one.values for one in schema.enumerations if one.name == "State")
    assert dict(values[1:]) == module.State._NAMES_TO_VALUES
    services = {*module.Parcels.thrift_services, *module.Base.thrift_services}
    assert {call.name.lower() for call in schema.calls} == services


def test_capnp_as_its_own_library_reads_it() -> None:
    schema = imported(DOCUMENTS / "rooms.capnp").schema
    capnp.remove_import_hook()
    module: Any = capnp.load(str(DOCUMENTS / "rooms.capnp"), imports=[str(Path(capnp.__file__).parents[1])])
    _same_fields(schema, "Room", module.Room)
    _same_fields(schema, "RoomBed", module.Room.Bed, void=["nothing"])
    theirs = list(module.Rooms.schema.methods_inherited)
    assert {call.name.lower() for call in schema.calls} == set(theirs)
    kinds = next(one.values for one in schema.enumerations if one.name == "RoomKind")
    assert dict(kinds) == module.Room.schema.fields["kind"].schema.enumerants


def _same_fields(schema: Schema, name: str, theirs: Any, void: list[str] | None = None) -> None:
    fields = schema.message(name).fields
    assert {field.json_name for field in fields} == set(theirs.schema.fieldnames) - set(void or [])
    assert {field.json_name for field in fields if field.oneof} == set(theirs.schema.union_fields)


def test_avro_as_fastavro_reads_it() -> None:
    schema = imported(DOCUMENTS / "flights.avpr").schema
    types = json.loads((DOCUMENTS / "flights.avpr").read_text())
    named: dict[str, Any] = {}
    for one in types["types"]:
        fastavro.parse_schema({"namespace": types["namespace"], **one}, named_schemas=named)
    for full, theirs in named.items():
        short = full.rpartition(".")[2]
        if theirs["type"] == "record":
            assert [field.json_name for field in schema.message(short).fields] == [
                of["name"] for of in theirs["fields"]
            ]
        elif theirs["type"] == "enum":
            assert [name for name, _ in next(one.values for one in schema.enumerations if one.name == short)] == theirs[
                "symbols"
            ]
    flight = {field.json_name: field for field in schema.message("Flight").fields}
    assert {name for name, field in flight.items() if field.nullable} == {
        of["name"]
        for of in named["org.example.Flight"]["fields"]
        if isinstance(of["type"], list) and "null" in of["type"]
    }


class Files(Transport):
    """Reads files and nothing else."""

    def load(self, url: str) -> bytes:
        return Path(url.removeprefix("file://")).read_bytes()


def test_wsdl_as_zeep_reads_it() -> None:
    schema = imported(DOCUMENTS / "library.wsdl").schema
    make: Any = zeep.Client
    transport: Any = Files
    client: Any = make(str(DOCUMENTS / "library.wsdl"), transport=transport())
    (port,) = [port for service in client.wsdl.services.values() for port in service.ports.values()]
    theirs = port.binding.port_type.operations
    assert {call.name for call in schema.calls} == set(theirs)
    for name, space in (("Book", "types"), ("Money", "common"), ("Shelf", "common"), ("Place", "shared")):
        of = client.get_type(f"{{urn:library:{space}}}{name}")
        elements = [key.replace("_value_1", "value") for key, _ in of.elements if key != "_value_1" or name == "Money"]
        attributes = [key.removeprefix("attr__") for key, _ in of.attributes if key is not None]
        ours = [field.json_name.removeprefix("@") for field in schema.message(name).fields]
        flat = ["row", "box"] if name == "Shelf" else []
        assert sorted(ours) == sorted([*elements, *attributes, *(one for one in flat if one not in elements)])
