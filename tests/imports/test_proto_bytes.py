"""A message has the bytes that protoc's own classes write: every scalar, packed or not, in every syntax."""

import random
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from importing import classes, imported

from callbench.catalog.encoders.encoder import encoder
from callbench.catalog.own import folder, protoc
from callbench.model.errors import BadInput

UNHURRIED = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
INTEGERS = tuple(f"{kind}{size}" for kind in ("int", "uint", "sint", "fixed", "sfixed") for size in (32, 64))
SCALARS = (*INTEGERS, "float", "double", "bool", "string", "bytes", "Color")
KEYS = (*INTEGERS, "bool", "string")
UNPACKABLE = ("string", "bytes", "A")
HEADS = {
    "proto2": 'syntax = "proto2";',
    "proto3": 'syntax = "proto3";',
    "2023": 'edition = "2023";',
    "2023 expanded": 'edition = "2023"; option features.repeated_field_encoding = EXPANDED;',
    "2023 implicit": 'edition = "2023"; option features.field_presence = IMPLICIT;',
}
REQUIRED = "features.field_presence = LEGACY_REQUIRED"
LABELS = {
    "proto2": ("optional ", "required ", "repeated "),
    "proto3": ("", "optional ", "repeated "),
}
OPTIONS = {
    "proto2": ("", "packed = true", "packed = false"),
    "proto3": ("", "packed = true", "packed = false"),
}
EDITION_LISTS = ("", "features.repeated_field_encoding = EXPANDED", "features.repeated_field_encoding = PACKED")
EDITION_SINGLES = ("", REQUIRED, "features.field_presence = EXPLICIT", "features.field_presence = IMPLICIT")


@st.composite
def protos(draw: st.DrawFn) -> str:
    """A file with one message, in which every kind of field can be."""
    head = draw(st.sampled_from(sorted(HEADS)))
    fields = []
    for number in range(1, draw(st.integers(1, 8)) + 1):
        if draw(st.integers(0, 5)) == 0:
            key, value = draw(st.sampled_from(KEYS)), draw(st.sampled_from((*SCALARS, "A")))
            fields.append(f"  map<{key}, {value}> f{number} = {number};")
        else:
            fields.append(draw(_single(head, number)))
    choice = f"  oneof pick {{ string o1 = 101; {draw(st.sampled_from(SCALARS))} o2 = 102; A o3 = 103; }}"
    values = "enum Color { NONE = 0; RED = 5; DEEP = -3; }"
    return "\n".join([HEADS[head], "message A {", *fields, choice, "}", values])


@st.composite
def _single(draw: st.DrawFn, head: str, number: int) -> str:
    """A field that is no map: alone or a list."""
    of = draw(st.sampled_from((*SCALARS, "A")))
    edition = head.startswith("2023")
    label = draw(st.sampled_from(("", "repeated ") if edition else LABELS[head]))
    if of == "A" and label == "required ":
        label = "optional "
    options: tuple[str, ...]
    if label == "repeated ":
        options = ("",) if of in UNPACKABLE else EDITION_LISTS if edition else OPTIONS[head]
    else:
        options = ("",) if of == "A" or not edition else EDITION_SINGLES
    option = draw(st.sampled_from(options))
    return f"  {label}{of} f{number} = {number}{f' [{option}]' if option else ''};"


@UNHURRIED
@given(text=protos(), luck=st.randoms(use_true_random=False))
def test_any_message_has_the_bytes_of_protoc(text: str, luck: random.Random) -> None:
    """Also after `schema.proto` was written and read again."""
    with tempfile.TemporaryDirectory() as made:
        file = Path(made) / "a.proto"
        file.write_text(text)
        original = _original(file)
        service = imported(file)
        again = classes(Path(made) / "again", service.schema)["A"]
        place = Path(made) / "kept"
        folder.write(place, service)
        assert folder.read(place).schema.messages == service.schema.messages
        shutil.rmtree(place)
    for _ in range(10):
        sent = original()
        _fill(sent, luck, 0)
        wire = sent.SerializeToString(deterministic=True)
        assert again.FromString(wire).SerializeToString(deterministic=True) == wire


@UNHURRIED
@given(text=protos(), luck=st.randoms(use_true_random=False))
def test_a_sample_in_protobuf_s_own_json_has_the_bytes_of_protoc_in_the_table(text: str, luck: random.Random) -> None:
    """Or is refused with its place, if it has a number that JSON has none for."""
    with tempfile.TemporaryDirectory() as made:
        file = Path(made) / "a.proto"
        file.write_text(text)
        original, service = _original(file), imported(file)
    of_format = encoder("protobuf", service.schema)
    assert service.own_json is not None
    for _ in range(10):
        sent = original()
        _fill(sent, luck, 0)
        said = json_format.MessageToDict(sent)
        if "Infinity" in str(said):
            with pytest.raises(BadInput, match=r"is -?inf, which no format"):
                service.own_json("A", said)
            continue
        value, left_out = service.own_json("A", said)
        assert left_out == []
        assert of_format.encode("A", value) == sent.SerializeToString(deterministic=True)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ('syntax = "proto2"; message A { repeated int32 n = 1; }', 600),
        ('syntax = "proto2"; message A { repeated int32 n = 1 [packed = true]; }', 303),
        ('syntax = "proto3"; message A { repeated int32 n = 1; }', 303),
        ('syntax = "proto3"; message A { repeated int32 n = 1 [packed = false]; }', 600),
        ('edition = "2023"; message A { repeated int32 n = 1; }', 303),
        (
            'edition = "2023"; message A { repeated int32 n = 1 [features.repeated_field_encoding = EXPANDED]; }',
            600,
        ),
        (
            'edition = "2023"; option features.repeated_field_encoding = EXPANDED; message A { repeated int32 n = 1; }',
            600,
        ),
    ],
)
def test_three_hundred_elements_of_one_byte(tmp_path: Path, text: str, size: int) -> None:
    """Each with the field's number before it, or all behind one."""
    file = tmp_path / "a.proto"
    file.write_text(text)
    of = classes(tmp_path / "again", imported(file).schema)["A"]
    assert len(of(n=[1] * 300).SerializeToString()) == size


@pytest.mark.parametrize(
    "text",
    [
        'syntax = "proto2"; message A { optional group G = 1 { optional int32 a = 1; } }',
        'edition = "2023"; message A { B b = 1 [features.message_encoding = DELIMITED]; } message B { int32 a = 1; }',
        'edition = "2023"; option features.message_encoding = DELIMITED; message A { A a = 1; }',
    ],
)
def test_a_group_is_refused_at_its_place(tmp_path: Path, text: str) -> None:
    """It has other bytes than a message, which `schema.proto` cannot say."""
    file = tmp_path / "a.proto"
    file.write_text(text)
    with pytest.raises(BadInput, match=r"a\.proto:1 A\.\w+: groups"):
        imported(file)


def _original(file: Path) -> Any:
    pool = DescriptorPool()
    for one in protoc.compiled(file.parent, file.name).file:
        pool.Add(one)
    return GetMessageClass(pool.FindMessageTypeByName("A"))


def _fill(message: Any, luck: random.Random, depth: int) -> None:
    """Gives a message random fields; those that are required always."""
    of: Descriptor = message.DESCRIPTOR
    for field in of.fields:
        if field.is_required:
            setattr(message, field.name, _scalar(field, luck))
        elif luck.random() < 0.7:
            _fill_field(message, field, luck, depth)


def _fill_field(message: Any, field: FieldDescriptor, luck: random.Random, depth: int) -> None:
    held = getattr(message, field.name)
    entry = field.message_type
    if entry is not None and entry.GetOptions().map_entry:
        value = entry.fields_by_name["value"]
        for _ in range(luck.randrange(3)):
            key = _scalar(entry.fields_by_name["key"], luck)
            if value.message_type is None:
                held[key] = _scalar(value, luck)
            elif depth < 2:
                _fill(held[key], luck, depth + 1)
    elif entry is not None:
        if depth < 2:
            inner = held.add() if field.is_repeated else held
            inner.SetInParent()
            _fill(inner, luck, depth + 1)
    elif field.is_repeated:
        held.extend(_scalar(field, luck) for _ in range(luck.randrange(40)))
    else:
        setattr(message, field.name, _scalar(field, luck))


def _scalar(field: FieldDescriptor, luck: random.Random) -> Any:
    if field.enum_type is not None:
        return luck.choice(field.enum_type.values).number
    if field.type == FieldDescriptor.TYPE_BYTES:
        return luck.choice([b"", b"\x00\xff"])
    return luck.choice(_VALUES[field.cpp_type])


_VALUES: dict[int, list[Any]] = {
    FieldDescriptor.CPPTYPE_INT32: [0, -1, 1, 300, 2**31 - 1, -(2**31)],
    FieldDescriptor.CPPTYPE_INT64: [0, -1, 1, 300, 2**63 - 1, -(2**63)],
    FieldDescriptor.CPPTYPE_UINT32: [0, 1, 300, 2**32 - 1],
    FieldDescriptor.CPPTYPE_UINT64: [0, 1, 300, 2**64 - 1],
    FieldDescriptor.CPPTYPE_DOUBLE: [0.0, -0.0, -0.5, 1e10, float("inf")],
    FieldDescriptor.CPPTYPE_FLOAT: [0.0, -0.0, -0.5, 1e10, float("inf")],
    FieldDescriptor.CPPTYPE_BOOL: [False, True],
    FieldDescriptor.CPPTYPE_STRING: ["", "é"],
}
