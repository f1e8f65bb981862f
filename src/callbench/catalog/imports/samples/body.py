"""JSON of a body as others wrote it: bounded, strict, and one sentence for what is wrong."""

from callbench.catalog import user_json
from callbench.model.errors import BadInput
from callbench.model.service.imported import Json

LARGEST = 64 * 2**20
"""Bytes of a body."""


def parsed(text: bytes | str, place: str) -> Json:
    """A body.

    Raises:
        BadInput: it is too large, no JSON, or JSON that no other format can carry; the sentence names the place.
    """
    if len(text) > LARGEST:
        raise BadInput(f"{place} is larger than {LARGEST // 2**20} MiB; a body may not be")
    return user_json.parsed(text, place)
