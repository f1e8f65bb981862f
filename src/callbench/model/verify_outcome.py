"""The outcome of a check."""

from dataclasses import dataclass


@dataclass(frozen=True)
class CheckOutcome:
    """One check of one stack.

    Attributes:
        subject: the stack's id, or the adapter's name for a check of the program.
        check: the check's name, as used by `lacks` in a manifest.
        why: what is wrong, or None.
        lack: why the manifest lists it as a known failure, or None.
        note: what the check observed, if there is more than a result.
        not_applicable: why the check does not apply to this stack, or None.
    """

    subject: str
    check: str
    why: str | None
    lack: str | None = None
    note: str = ""
    not_applicable: str | None = None

    @property
    def passed(self) -> bool:
        """Whether the stack passed."""
        return self.why is None

    @property
    def fails(self) -> bool:
        """Whether it makes the suite fail: an unknown failure, or a known failure that passes."""
        return self.passed == (self.lack is not None)

    @property
    def sentence(self) -> str:
        """The message if it makes the suite fail."""
        if self.passed:
            known = f"though the manifest lists it as known to fail ({self.lack})"
            return f"{self.subject}: {self.check}: passes, {known}: take it off `lacks`"
        return f"{self.subject}: {self.check}: {self.why}"
