"""With which status a failure is answered, by the page and by the API."""

from callbench.model.errors import BadInput


def status_of(failure: Exception) -> int:
    """Return 400 where what was asked is wrong, and 500 where the machine or the program could not do it."""
    return 400 if isinstance(failure, BadInput) else 500
