"""Orders as JSON of a wanted length, and services of one such call that echoes it."""

import datetime as dt
import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from callbench.catalog.imports import registry
from callbench.catalog.imports.source import Options
from callbench.catalog.own import folder
from callbench.model.service.imported import Imported, Pair

LONG_BYTES = 4617


def order_of(length: int) -> dict[str, Any]:
    """An order whose compact JSON has so many bytes."""
    draw = random.Random(11)  # noqa: S311 - payloads
    order: dict[str, Any] = {"id": 17, "customer": "Zoe Miller", "lines": [], "note": ""}

    def size() -> int:
        return len(json.dumps(order, separators=(",", ":")))

    while size() < length - 120:
        order["lines"].append(
            {"sku": f"SKU-{draw.randrange(10**5):05}", "name": draw.choice(["Garden chair", "Table lamp"]),
             "count": draw.randrange(1, 9), "price": draw.randrange(1000, 9999) / 8, "currency": "EUR"}
        )  # fmt: skip
    order["note"] = "x" * (length - size())
    return order


def service_of(within: Path, order: Mapping[str, Any]) -> Path:
    document = within / "order.json"
    document.write_text(json.dumps(order))
    schema = registry.service([str(document)], Options()).schema
    pairs = (Pair(dict(order), dict(order)),)
    service = Imported(schema, "order.json", "samples", dt.date(2026, 11, 28), {schema.calls[0].name: pairs})
    folder.write(within / "order", service)
    return within / "order"
