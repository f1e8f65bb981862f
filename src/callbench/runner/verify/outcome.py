"""What came of a check."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Outcome:
    """One check of one stack.

    Attributes:
        subject: the stack's id, or the adapter's name for what concerns the program.
        check: the check's name, as `lacks` in a manifest has it.
        why: what is wrong, or None.
        lack: why the manifest says that it is known to fail, or None.
        told: what the check has seen, where that is more than a pass.
        unasked: why the check was not made of this stack, or None.
    """

    subject: str
    check: str
    why: str | None
    lack: str | None = None
    told: str = ""
    unasked: str | None = None

    @property
    def passed(self) -> bool:
        """Whether the stack did as it should."""
        return self.why is None

    @property
    def fails(self) -> bool:
        """Whether it spoils the suite: a failure that is not known, or a known one that passes."""
        return self.passed == (self.lack is not None)

    @property
    def sentence(self) -> str:
        """What to tell where it spoils the suite."""
        if self.passed:
            known = f"though the manifest lists it as known to fail ({self.lack})"
            return f"{self.subject}: {self.check}: passes, {known}: take it off `lacks`"
        return f"{self.subject}: {self.check}: {self.why}"
