"""Numbers that take as many bytes as each other: in text, and in every binary format.

The bounds are those of JSON (decimal digits), protobuf and Avro (varints of 7 bits a byte, with and without zigzag),
MessagePack, CBOR and BSON (1, 2, 4 or 8 bytes). Between two neighbouring bounds, all integers have one size everywhere.
"""

from bisect import bisect_right

_DIGITS = [10**power for power in range(20)]
_VARINT = [1 << 7 * count for count in range(1, 10)]
_ZIGZAG = [1 << (7 * count - 1) for count in range(1, 10)]
_FIXED = [1 << 8, 1 << 15, 1 << 16, 1 << 31, 1 << 32, 1 << 63, 1 << 64]
# The first of each class. CBOR has 0 to 23 in its first byte, MessagePack 0 to 127.
_POSITIVE = sorted({24, 128, *_DIGITS, *_VARINT, *_ZIGZAG, *_FIXED})
# The same for -v: CBOR has -1 to -24 in its first byte, MessagePack -1 to -32.
_NEGATIVE = sorted({25, 33, *_DIGITS, *(bound + 1 for bound in (*_ZIGZAG, 1 << 7, *_FIXED))})


def size_class(value: int) -> tuple[int, int]:
    """The least and the greatest integer of the size of this one, both included. Zero is alone."""
    if value == 0:
        return 0, 0
    bounds = _POSITIVE if value > 0 else _NEGATIVE
    at = bisect_right(bounds, abs(value))
    least = bounds[at - 1]
    most = bounds[at] - 1 if at < len(bounds) else abs(value)
    return (least, most) if value > 0 else (-most, -least)
