"""Which stacks are measured for an advice: known answers for situations and for messages, long and short."""

import datetime as dt
import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from callbench.catalog import catalogue
from callbench.catalog.imports import registry
from callbench.catalog.imports.source import Options
from callbench.catalog.own import folder
from callbench.catalog.situation.file import situation_of
from callbench.model.service.imported import Imported, Pair
from callbench.runner.advice.candidates import Chosen, chosen

KNOWN = catalogue.load()
LONG_BYTES = 4617
SLOW, LAN = "25ms,2mbit", "0.5ms,1gbit"


def _order(length: int) -> dict[str, Any]:
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


def _service(within: Path, order: Mapping[str, Any]) -> Path:
    document = within / "order.json"
    document.write_text(json.dumps(order))
    schema = registry.service([str(document)], Options()).schema
    pairs = (Pair(dict(order), dict(order)),)
    service = Imported(schema, "order.json", "samples", dt.date(2026, 11, 28), {schema.calls[0].name: pairs})
    folder.write(within / "order", service)
    return within / "order"


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A service with a message of 4,617 bytes in JSON, which compresses well."""
    return _service(tmp_path_factory.mktemp("long"), _order(LONG_BYTES))


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A service with a short message."""
    return _service(tmp_path_factory.mktemp("short"), {"id": 17, "count": 3})


def _chosen(service: Path, **said: Any) -> Chosen:
    return chosen(service, KNOWN, situation_of(said, "the test"))


def _names(stacks: Chosen, message: str = "") -> set[str]:
    names = {name.removeprefix("native/") for name in stacks.stacks}
    return {name for name in names if name.startswith(message)}


def test_json_is_compressed_over_a_slow_link(long: Path) -> None:
    """Plain JSON cannot win there, and neither can a plain binary format; what is most common stays to compare with."""
    found = _chosen(long, links=[{"link": SLOW}])
    assert _names(found, "json+") == {
        "json+https-keepalive", "json+https-keepalive-gzip", "json+https-keepalive-zstd", "json+http2-tls-gzip",
        "json+http2-tls-zstd",
    }  # fmt: skip
    out = {one.stack: one.why[0] for one in found.not_measured}
    why = out["native/json+http2-tls"]
    assert why.startswith("not measured: its 9,234 bytes take 36.94 ms over 25ms,2mbit, and the ")
    assert "native/msgpack+https-keepalive" in out


def test_compressed_json_has_fewer_bytes_than_plain_binary_ones(long: Path) -> None:
    found = _chosen(long, links=[{"link": SLOW}], goal="bytes")
    assert {"native/avro+https-keepalive", "native/json+https-keepalive"} - set(found.stacks) == {
        "native/avro+https-keepalive"
    }


def test_what_lies_within_the_margin_is_measured(long: Path) -> None:
    """Compressed JSON takes 3 % longer than compressed Avro there: equals are named, so they are measured."""
    found = _chosen(long, links=[{"link": SLOW}])
    assert {"json+https-keepalive-gzip", "avro+https-keepalive-gzip"} <= _names(found)


@pytest.mark.parametrize("link", [LAN, SLOW])
def test_bytes_of_a_short_message_rule_nothing_out(short: Path, link: str) -> None:
    assert not _chosen(short, links=[{"link": link}]).not_measured


def test_nothing_is_ruled_out_by_bytes_on_a_fast_link_or_for_money(long: Path) -> None:
    assert not _chosen(long, links=[{"link": LAN}]).not_measured
    money = {"prices": {"gigabyte_out": 0.08}, "calls_per_second": 10}
    assert not _chosen(long, links=[{"link": SLOW}], **money).not_measured


def _channels(found: Chosen) -> set[str]:
    return {name.partition("+")[2] for name in found.stacks}


def test_own_services_on_a_lan_have_any_framing_over_tls(long: Path) -> None:
    assert _channels(_chosen(long, links=[{"link": LAN}])) == {
        "tcp-tls", "https-keepalive", "https-keepalive-gzip", "https-keepalive-zstd", "http2-tls", "http2-tls-gzip",
        "http2-tls-zstd", "grpc-tls",
    }  # fmt: skip


def test_clients_of_others_have_public_protocols(long: Path) -> None:
    found = _channels(_chosen(long, links=[{"link": LAN}], others=True))
    assert found == _channels(_chosen(long, links=[{"link": LAN}])) - {"tcp-tls"}


def test_browsers_over_a_slow_link_have_http_with_gzip(long: Path) -> None:
    found = _chosen(long, links=[{"link": SLOW}], browsers=True)
    assert _channels(found) == {"https-keepalive", "https-keepalive-gzip", "http2-tls", "http2-tls-gzip"}
    assert "json+https-keepalive-gzip" in _names(found)
    assert not [name for name in found.stacks if name.startswith("native/bin")]


def test_without_tls_if_that_is_said_or_today_is_plain(short: Path) -> None:
    plain = {"tcp", "http-keepalive", "http-keepalive-gzip", "http-keepalive-zstd", "http2", "grpc"}
    assert _channels(_chosen(short, links=[{"link": LAN}], tls=False)) == plain
    # Whatever runs today is measured.
    today = _chosen(short, links=[{"link": LAN}], today="native/soap+http")
    assert _channels(today) == plain | {"http"}


def test_on_one_machine_the_usual_channels_are_measured(short: Path) -> None:
    assert _chosen(short, links=[{"link": "loopback"}]) == Chosen()
