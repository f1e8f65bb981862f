"""Errors of Python and of JSON-RPC by the kinds of the contract; a library's own come first."""

import errno
import json
from collections.abc import Callable

from callbench_python.service import Fault


class Refusal(Exception):  # noqa: N818 - what a request is answered with
    """A kind of the contract, and one sentence that a person can act on."""

    def __init__(self, kind: str, sentence: str) -> None:
        """Keep the kind beside the sentence."""
        super().__init__(sentence)
        self.kind = kind


_EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.EADDRNOTAVAIL, errno.ENOMEM)
_OWN: tuple[tuple[type[Exception], str], ...] = (
    (Fault, "fault"),
    (json.JSONDecodeError, "protocol"),
    (UnicodeDecodeError, "protocol"),
    (ValueError, "cannot-carry"),
    (KeyError, "protocol"),
    (AttributeError, "protocol"),
    (TypeError, "protocol"),
    (TimeoutError, "timeout"),
    (ConnectionRefusedError, "refused"),
    (ConnectionError, "closed"),
    (MemoryError, "out-of-resources"),
)


def kind_by(*kinds: tuple[type[Exception], str]) -> Callable[[Exception], tuple[str, str]]:
    """How a library's errors become a kind and a sentence."""

    def kind_of(error: Exception) -> tuple[str, str]:
        sentence = str(error) or type(error).__name__
        if isinstance(error, Refusal):
            return error.kind, sentence
        cause: BaseException | None = error
        while cause is not None:
            if isinstance(cause, OSError) and cause.errno in _EXHAUSTED:
                return "out-of-resources", sentence
            cause = cause.__cause__ or cause.__context__
        return next((kind for its, kind in (*kinds, *_OWN) if isinstance(error, its)), "internal"), sentence

    return kind_of


kind_of = kind_by()
