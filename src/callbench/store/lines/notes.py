"""A line that every kind of record may have: what a reader should know."""

from typing import Literal, NotRequired, TypedDict


class NoteLine(TypedDict):
    """A sentence, and when it was written."""

    kind: Literal["note"]
    at: NotRequired[str]
    text: str
