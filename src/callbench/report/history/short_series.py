"""What is said of series in which no change can be found yet."""

from callbench.analysis.wording.words import counted


def short_text(short: int, fewest: int) -> str:
    """Say how many of the series are too short, and what they need; "" if none is.

    Args:
        short: how many have fewer values.
        fewest: in how many values a change can be found.
    """
    many = f"{counted(short, 'of these series is', 'of these series are')} too short"
    return f"{many}: a change is found from {fewest} records of a series on." if short else ""
