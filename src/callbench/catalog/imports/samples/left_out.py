"""What a recording has besides samples, counted by the reason why it is left out."""

from collections import Counter


class LeftOut:
    """Counts requests that become no samples."""

    def __init__(self) -> None:
        """Nothing was left out yet."""
        self._why: Counter[str] = Counter()

    def count(self, why: str, times: int = 1) -> None:
        """One is left out, or several for the same reason."""
        self._why[why] += times

    def notes(self) -> list[str]:
        """A sentence for each reason."""
        return [f"Left out: {count:,} x {why}." for why, count in self._why.most_common()]
