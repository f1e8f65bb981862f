"""What nobody gave of the calls that an advice is on, so that it was invented."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Invented:
    """Calls whose messages are not the user's.

    Attributes:
        answers: calls whose answer nobody gave: the server sends the request back.
        payloads: calls whose request and answer are made from the schema.
    """

    answers: frozenset[str] = frozenset()
    payloads: frozenset[str] = frozenset()


NOTHING = Invented()
