"""Names for messages, made of keys and paths."""

from collections.abc import Container

from callbench.model.service.identifiers import pascal


def message_name(*parts: str) -> str:
    """`OrderLine` for `order` and `line`."""
    return pascal("-".join(parts), "Message")


def free(name: str, taken: Container[str]) -> str:
    """The name, or the name with the first number that makes it a new one."""
    number = 2
    candidate = name
    while candidate in taken:
        candidate = f"{name}{number}"
        number += 1
    return candidate


def singular(key: str) -> str:
    """The name of one of many: `line` for `lines`."""
    if key.endswith("ies") and len(key) > 4:
        return key[:-3] + "y"
    if key.endswith(("sses", "xes", "ches")):
        return key[:-2]
    if key.endswith("s") and not key.endswith(("ss", "us", "is")) and len(key) > 2:
        return key[:-1]
    return key
