"""Google's characterization of remote calls (SOSP 2023): sizes of requests and responses; the shape is fleetbench's."""

import datetime as dt
from random import Random

from callbench.catalog.imports.fleet import published
from callbench.model.service.imported import Imported, Json, Pair
from callbench.model.service.schema import Field, Kind, Message, OwnCall, Schema, Shape

NAME = "google-2023"
ABOUT = (
    "Sizes of requests and responses in Google's fleet, in messages with the kinds of fields that its protobufs have."
)
_NOTES = (
    (
        "Sizes: K. Seemakhupt et al., A Cloud-Scale Characterization of Remote Procedure Calls, SOSP 2023, "
        "doi 10.1145/3600006.3613156, CC BY; the figures are second hand, in studies/published/fleet-2023.toml."
    ),
    "Kinds and lengths of fields: google/fleetbench commit 703e5e5, Apache-2.0, in the same file.",
    "Published are the smallest size, the median and p99. Between them the logarithm grows evenly.",
    "The largest 1 % have the size of p99.",
    "Requests and responses are drawn independently, since no source says how they go together.",
    "Words are drawn from a list of 200, so compression of them says little about real messages.",
)
# Sizes are protobuf's, within one item.
_ITEM = Message(
    "Item",
    (
        Field("id", "id", 1, Kind.INT64),
        Field("version", "version", 2, Kind.INT32),
        Field("flags", "flags", 3, Kind.UINT32),
        Field("name", "name", 4, Kind.STRING),
        Field("active", "active", 5, Kind.BOOL),
        Field("score", "score", 6, Kind.FLOAT),
        Field("total", "total", 7, Kind.DOUBLE),
        Field("label", "label", 8, Kind.STRING, Shape.OPTIONAL),
    ),
)
_SYLLABLES = ("ba", "co", "de", "fi", "gu", "ka", "lo", "me", "ni", "po", "ra", "si", "to", "ve", "zu")


def imported() -> Imported:
    """The service: a call that takes a list of items and returns one."""
    sizes = published.figures()["size_bytes"]
    random = Random(NAME)  # noqa: S311 - nothing secret
    words = ["".join(random.choices(_SYLLABLES, k=random.randint(1, 5))) for _ in range(200)]
    # So many that compression does not find an item again, whose windows are smaller than all of them.
    items = [_item(words, random) for _ in range(4000)]
    drawn = []
    for side in ("request", "response"):
        smallest, median, p99 = map(float, sizes[side])
        of_side = published.sizes([(0.0, smallest), (0.5, median), (0.99, p99), (1.0, p99)])
        random.shuffle(of_side)
        drawn.append(of_side)
    count = min(len(of_side) for of_side in drawn)
    pairs = tuple(
        Pair(_body(request, items, words, random), _body(answer, items, words, random))
        for request, answer in zip(drawn[0][:count], drawn[1][:count], strict=True)
    )
    fields = (Field("items", "items", 1, Kind.MESSAGE, Shape.MANY, "Item"), Field("padding", "padding", 2, Kind.STRING))
    messages = (_ITEM, Message("Items", fields))
    schema = Schema("Fleet", messages, (OwnCall("Call", "Items", "Items"),))
    return Imported(schema, f"fleet:{NAME}", "fleet", dt.datetime.now(tz=dt.UTC).date(), {"Call": pairs}, _NOTES)


def _body(size: int, known: list[tuple[Json, int]], words: list[str], random: Random) -> Json:
    """Items until protobuf's size is reached, and text for the rest."""
    items: list[Json] = []
    left = size
    while left > 0:
        item, taken = random.choice(known)
        if taken + 2 > left:
            break
        items.append(item)
        left -= taken
    # Tag and length of the text; a longer text has a longer length, but less than an item is left.
    rest = max(0, left - 2)
    return {"items": items, "padding": " ".join(random.choices(words, k=1 + rest // 2))[:rest]}


def _item(words: list[str], random: Random) -> tuple[Json, int]:
    """An item, and its size in protobuf with tag and length."""
    name = " ".join(random.choices(words, k=random.choice((1, 2, 2, 3))))
    number, version, flags = (
        random.getrandbits(random.choice((14, 28, 42))),
        random.randint(1, 9),
        random.getrandbits(7),
    )
    score, total = random.randrange(1, 2**10) / 2**6, round(random.uniform(1, 1000), 2)
    active = random.random() < 0.5
    item: dict[str, Json] = {"id": number, "version": version, "flags": flags, "name": name}
    item |= {"active": active, "score": score, "total": total}
    size = 5 + 9 + 2 + len(name) + 2
    size += sum(1 + _varint(part) for part in (number, flags) if part) + 2 * active
    if random.random() < 0.3:
        item["label"] = random.choice(words)
        size += 2 + len(str(item["label"]))
    return item, 1 + _varint(size) + size


def _varint(value: int) -> int:
    return max(1, -(-value.bit_length() // 7))
