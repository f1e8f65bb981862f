"""Which stacks are measured for an advice: known answers for situations and for messages, long and short."""

from pathlib import Path
from typing import Any

import pytest

from advice.orders import LONG_BYTES, order_of, service_of
from callbench.catalog import catalogue
from callbench.catalog.situation.file import situation_of
from callbench.runner.advice.candidates import Chosen, chosen

KNOWN = catalogue.load()
SLOW, LAN = "25ms,2mbit", "0.5ms,1gbit"


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A service with a message of 4,617 bytes in JSON, which compresses well."""
    return service_of(tmp_path_factory.mktemp("long"), order_of(LONG_BYTES))


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A service with a short message."""
    return service_of(tmp_path_factory.mktemp("short"), {"id": 17, "count": 3})


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
