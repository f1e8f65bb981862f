"""What was measured is told even where its page, its charts or its tables cannot be made."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from callbench.model.errors import MachineFailure
from callbench.model.machine_limits import machine_failure


@contextmanager
def told_in_any_case(record: Path) -> Iterator[None]:
    """Have the program print what a record comes to before it says what the machine refused in the block.

    Raises:
        MachineFailure: as the block did, with the record.
    """
    try:
        yield
    except Exception as failure:
        refused = failure if isinstance(failure, MachineFailure) else machine_failure(failure)
        if refused is None:
            raise
        refused.record = record
        raise refused from failure
