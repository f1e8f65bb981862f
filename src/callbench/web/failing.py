"""With which sentence and status a failure is answered, by the page and by the API."""

from collections.abc import Mapping

from starlette.exceptions import HTTPException

from callbench.model.errors import BadInput, CallbenchError, NotNow, NotThere
from callbench.model.machine_limits import machine_failure

# Each status with what the description of the API says of it.
STATUSES = (
    (400, "What is asked is wrong; the sentence says why."),
    (404, "Nothing has the name that is given; the sentence says where it was looked for."),
    (409, "It cannot be done as things stand; the sentence says why."),
    (500, "The machine or a command cannot do it; the sentence says why."),
    (503, "Too many follow already."),
)
# The narrower kinds first.
_KINDS: Mapping[type[Exception], int] = {NotThere: 404, NotNow: 409, BadInput: 400, Exception: 500}
FAILURES = (CallbenchError, OSError, HTTPException)


def answer_of(failure: Exception, no_address: str) -> tuple[str, int]:
    """Return the sentence and the status.

    Args:
        failure: one of `FAILURES`.
        no_address: the sentence where there is no such address.
    """
    if isinstance(failure, HTTPException):
        return (no_address if failure.status_code == 404 else failure.detail), failure.status_code
    # A disk that is full, or a record that somebody removes while it is read.
    known = failure if isinstance(failure, CallbenchError) else machine_failure(failure) or failure
    return str(known), next(status for kind, status in _KINDS.items() if isinstance(known, kind))
