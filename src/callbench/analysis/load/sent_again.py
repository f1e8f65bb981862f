"""Calls that were sent twice, as a report says it."""


def sent_again_sentence(calls: int) -> str:
    """Say how many calls were sent a second time, on a new connection.

    Args:
        calls: their number, at least 1.
    """
    them = "1 call was" if calls == 1 else f"{calls:,} calls were"
    return f"{them} sent again: the server closes kept connections."
