"""Requests of the service with everything, each with its bytes as protobuf's own library writes them."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from by_protobuf import filled
from everything_service import BARE, FULL, SCHEMA
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass

from callbench.catalog.generator.from_schema import from_schema
from callbench.catalog.own.proto_text import proto_text
from callbench.catalog.own.protoc import compiled
from callbench.model.service.imported import Json

_MESSAGE = "Everything"
# A key, a value, both or neither of an entry are zero or empty.
_ENTRIES: dict[str, Json] = {
    "counts": {"": 0, "a": 0, "b": 1},
    "byNumber": {"0": {"type": "", "self": 0}, "1": {"type": "", "self": 0}},
    "colorOf": {"": "none", "a": "none"},
    "byZigzag": {"0": "", "-1": "", "-300": "x"},
}


# Zeros that are none, and numbers at the ends of their ranges.
_ENDS: list[dict[str, Json]] = [
    {"realNumber": -0.0, "single": -0.0},
    {"realNumber": 5e-324, "single": 1e-45, "huge": 2**64 - 1, "fixed": 2**64 - 1, "natural": 2**32 - 1},
    {"realNumber": 1.7976931348623157e308, "single": -3.4028234663852886e38, "large": -(2**63), "small": -(2**31)},
    {"numbers": [2**31 - 1, -(2**31)], "spread": [-1, 2**31 - 1, -(2**31)], "counts": {"\U0001f600": 2**63 - 1}},
]


def lines() -> Iterator[str]:
    """A line for each request: what is asked, and its bytes in hexadecimal."""
    requests = [FULL, BARE, {**FULL, **_ENTRIES}, *({**FULL, **ends} for ends in _ENDS)]
    requests += [request for (request,) in from_schema(SCHEMA, [_MESSAGE], skeletons=20).skeletons]  # type: ignore[misc]
    with tempfile.TemporaryDirectory() as made:
        (Path(made) / "everything.proto").write_text(proto_text(SCHEMA), encoding="utf-8")
        pool = DescriptorPool()
        for file in compiled(Path(made), "everything.proto").file:
            pool.Add(file)
    of = GetMessageClass(pool.FindMessageTypeByName(f"everything.{_MESSAGE}"))
    for request in requests:
        written = filled(of(), _MESSAGE, request).SerializeToString(deterministic=True)
        yield json.dumps({"request": request, "protobuf": written.hex()})
