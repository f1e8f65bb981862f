"""Content codings of HTTP that bodies are often compressed with, each at the level that servers usually have."""

import zlib
from collections.abc import Callable, Mapping
from types import MappingProxyType

import zstandard

from callbench.model.card import StackCard
from callbench.model.cell import CODING

LEVELS: Mapping[str, int] = MappingProxyType({"gzip": 6, "zstd": 3})
"""The level of each coding: the libraries' own defaults."""
PLAIN, GZIP = "plain", "gzip"
LEAST = 150
"""Native stacks do not compress bodies of fewer bytes: `engine/transport/src/web/coding`."""
_GZIP_WINDOW = 31
"""A window of 32 KiB (15), and gzip's frame (16)."""


def _gzip(body: bytes) -> bytes:
    compressor = zlib.compressobj(LEVELS["gzip"], zlib.DEFLATED, _GZIP_WINDOW)
    return compressor.compress(body) + compressor.flush()


def _zstd(body: bytes) -> bytes:
    return zstandard.ZstdCompressor(level=LEVELS["zstd"]).compress(body)


CODINGS: Mapping[str, Callable[[bytes], bytes]] = MappingProxyType(
    {PLAIN: lambda body: body, "gzip": _gzip, "zstd": _zstd}
)
"""By the name in `Content-Encoding`; `plain` is a body as it is."""


def coding_of(card: StackCard) -> str:
    """Return the content coding of a stack's channel, as its card says; `plain` if it has none."""
    return str(card.get(CODING) or PLAIN)


def uncoded(channel: str, card: StackCard) -> str:
    """Return the channel without its content coding: the two differ in bytes and processor time alone."""
    return channel.removesuffix(f"-{coding_of(card)}")
