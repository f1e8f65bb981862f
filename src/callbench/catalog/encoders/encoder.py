"""What a format has to do: turn the JSON of a message into its bytes."""

from typing import Protocol

from callbench.model.service.imported import Json


class CannotCarryError(Exception):
    """The format has no form for a value or a type. The sentence says which."""


class Encoder(Protocol):
    """A format with the types of one service."""

    def encode(self, message: str, value: Json) -> bytes:
        """The bytes of a message, without the envelope of a protocol.

        Args:
            message: the name of the message.
            value: its JSON, as in a payload.

        Raises:
            CannotCarryError: the format cannot carry it.
        """
