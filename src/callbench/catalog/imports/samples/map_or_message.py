"""Whether the objects of a place are messages with fields, or maps whose keys are data."""

import re

from callbench.catalog.imports.samples.observed_place import LIST, OBJECT, ObservedPlace

_IDENTIFIER = re.compile(r"[A-Za-z_$@][A-Za-z0-9_]*")
_DATA = re.compile(r"\d+|[0-9a-fA-F-]{16,}|\d{4}-\d\d-\d\d.*|[^@$].*[/@:.\s].*|/.*|.*\d{3,}")
# With fewer different keys, an object is a message.
_KEYS = 8
_MANY_KEYS = 24


def is_map(seen: ObservedPlace) -> bool:
    """Whether objects are maps: their keys look like data, or there are many keys and each object has its own."""
    if seen.others is not None:
        return True
    keys = seen.members
    if not keys or not _alike(seen):
        return False
    if sum(_DATA.fullmatch(key) is not None for key in keys) >= 0.8 * len(keys):
        return True
    if len(keys) < _KEYS:
        return False
    of_one = sum(member.count for member in keys.values()) / seen.objects
    if len(keys) >= 2 * of_one:
        return True
    odd = sum(_IDENTIFIER.fullmatch(key) is None for key in keys)
    return len(keys) >= _MANY_KEYS and seen.objects < 3 and odd >= len(keys) / 2


def _alike(seen: ObservedPlace) -> bool:
    """Whether what lies under the keys is of one type, and objects have mostly the same keys."""
    merged = seen.under_all_keys()
    if len(merged.types) != 1 or merged.mixed:
        return False
    if merged.types == {LIST}:
        return merged.items is None or len(merged.items.types) <= 1
    if merged.types != {OBJECT} or not merged.members:
        return True
    present = sum(member.count for member in merged.members.values())
    return present >= 0.5 * len(merged.members) * merged.objects
