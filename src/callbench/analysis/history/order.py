"""What the values of a series stand in the order of."""

from enum import StrEnum


class SeriesOrder(StrEnum):
    """What the values of a series stand in the order of."""

    TIME = "time"
    COMMIT = "commit"
