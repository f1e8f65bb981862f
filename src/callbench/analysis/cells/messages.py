"""How large a stack's messages are, by who writes them: its own client the request, its own server the answer."""

from collections.abc import Iterable
from dataclasses import dataclass

from callbench.model.cell import sides_of

REQUEST, ANSWER = "request", "answer"


@dataclass(frozen=True)
class CodecCost:
    """A message alone, without a channel: mean bytes and nanoseconds of one side of a call.

    Attributes:
        stack: the stack in process that was timed: messages of its adapter are written by the same code.
    """

    stack: str
    message: str
    group: str
    call: str
    direction: str
    bytes: float
    encode_ns: float
    decode_ns: float

    @property
    def adapter(self) -> str:
        """Whose code it is."""
        return adapter_of(self.stack)


@dataclass(frozen=True)
class Messages:
    """Both messages of a call: bytes, and microseconds to write and to read both."""

    bytes: float
    codec_us: float


class MessageTimes:
    """The messages that were timed, for the code that asks for those of a stack."""

    def __init__(self, codecs: Iterable[CodecCost]) -> None:
        """Takes the codecs of a run."""
        self._codecs = {(codec.adapter, codec.message, codec.group, codec.direction): codec for codec in codecs}

    def of(self, stack: str, message: str, group: str) -> Messages | None:
        """Return a cell's messages; None if one of its two sides has no codec that was timed.

        A message of the same name by another adapter is other bytes: soap of one library is not soap of the next.
        """
        sides = zip(sides_of(stack), sides_of(message), (REQUEST, ANSWER), strict=True)
        parts = [
            self._codecs.get((adapter_of(its_stack), its_message, group, direction))
            for its_stack, its_message, direction in sides
        ]
        known = [part for part in parts if part is not None]
        if len(known) < 2:
            return None
        return Messages(
            sum(part.bytes for part in known), sum((part.encode_ns + part.decode_ns) / 1e3 for part in known)
        )


def adapter_of(stack: str) -> str:
    """Return the adapter of one side's stack: what stands before the slash."""
    return stack.partition("/")[0]


def labels(codecs: Iterable[CodecCost]) -> dict[str, str]:
    """Name the timed messages, by stack: by the message alone, and by the adapter too where two have one of a name."""
    every = list(codecs)
    adapters: dict[str, set[str]] = {}
    for codec in every:
        adapters.setdefault(codec.message, set()).add(codec.adapter)
    return {
        codec.stack: codec.message if len(adapters[codec.message]) == 1 else f"{codec.adapter} {codec.message}"
        for codec in every
    }
