"""The options of native clients, seen through the contract: compressors, a reloaded library, who closes."""

from collections.abc import Iterator
from typing import Any

import pytest

from callbench.adapter.session import Adapter
from callbench.catalog import catalogue
from callbench.model.errors import AdapterFailure

pytestmark = pytest.mark.engine

DATA = {"size": 32768, "fill": "text"}


@pytest.fixture(scope="module")
def native() -> Iterator[Adapter]:
    with Adapter(catalogue.load().adapter("native").manifest, "the options") as adapter:
        yield adapter


def size(native: Adapter, options: dict[str, Any]) -> float:
    return float(native.codec("native/bincomp+supertcp", "GetBinaryData", DATA, 0.001, options)["answer"]["bytes"])


def test_the_codec_is_the_message_as_the_client_writes_it(native: Adapter) -> None:
    plain = size(native, {})
    assert size(native, {"compressor": "zlib", "level": 6}) == plain
    assert size(native, {"level": 9}) <= plain < size(native, {"level": 1}) < 32768
    assert len({plain, size(native, {"compressor": "zstd"}), size(native, {"compressor": "lz4"})}) == 3
    # An option of the channel is none of the message's.
    assert size(native, {"acknowledge": False}) == plain


@pytest.mark.parametrize(
    ("stack", "options"),
    [
        ("native/bincomp+supertcp", {"compressor": "zstd", "level": 19}),
        ("native/bincomp+http", {"compressor": "lz4", "closes": "client", "reset": True}),
        ("native/bin+library", {"keep_loaded": False}),
        ("native/soap+http", {"closes": "client", "ports": 500}),
    ],
)
def test_calls_with_options_are_answered_and_counted(native: Adapter, stack: str, options: dict[str, Any]) -> None:
    endpoint = native.serve(stack)
    native.connect(stack, endpoint, 1, options=options)
    native.counted()
    done = native.drive("GetPersons", {"n": 50}, calls=20, seconds=0.01)
    assert (done["calls"] >= 20, done["errors"]) == (True, {})
    assert native.counted()["calls"]["GetPersons"] == done["calls"]
    native.disconnect()
    native.stop_serving()


@pytest.mark.parametrize(
    ("stack", "options", "told"),
    [
        ("native/bincomp+supertcp", {"compressor": "brotli"}, "it must be zlib, zstd or lz4"),
        ("native/bin+supertcp", {"compressor": "zlib"}, "the option compressor is unknown"),
        ("native/bin+library", {"keep_loaded": "no"}, "it must be true or false"),
        ("native/bin+http", {"ports": 0}, "it must be a whole number from 1"),
        ("native/bin+http", {"closes": "both"}, "must be client or either"),
        ("native/bin+tcp", {"key_log": "keys"}, "the option key_log is unknown"),
        ("native/bin+tcp-tls", {"key_log": 3}, "key_log is 3: it must be the path of a file"),
        ("native/bin+https", {"key_log": "/nowhere/keys"}, "key_log: /nowhere/keys cannot be written"),
    ],
)
def test_an_option_that_makes_no_sense_is_refused_in_a_sentence(
    native: Adapter, stack: str, options: dict[str, Any], told: str
) -> None:
    endpoint = native.serve(stack)
    try:
        with pytest.raises(AdapterFailure, match=told):
            native.connect(stack, endpoint, 1, options=options)
    finally:
        native.stop_serving()
