"""Messages for a schema without samples: lengths and sizes as in Google's fleet, words from a short list.

Lengths of text are fleetbench's (studies/published/fleet-2023.toml, `filled.proto`): p10 2, p50 11, p90 52, p99 505.
"""

import base64
import datetime as dt
import math
import uuid
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from random import Random

from callbench.catalog.generator.fit import fit
from callbench.catalog.generator.fitted import Fitted
from callbench.model.errors import BadInput
from callbench.model.service.imported import Json
from callbench.model.service.schema import Field, Kind, Message, Schema, Shape

SKELETONS = 64
_LENGTHS = ((0.0, 1.0), (0.1, 2.0), (0.5, 11.0), (0.9, 52.0), (0.99, 505.0), (1.0, 505.0))
# Values of a message, levels, and messages of one type within each other, from which on lists are empty and what is
# optional is absent. A tree whose nodes have two children each would otherwise always grow to the number of values.
_VALUES = 300
_LEVELS = 8
_WITHIN = 3
_DEEPEST = 60
_MOST = 200_000
_TEXT = (
    "account active address amount area available base blue book branch build call card case city class client "
    "code color company contact copy country course credit customer data date day default delivery design detail "
    "device direct document door east event example express field file final first form free garden general gold "
    "green group hand head high home house image index input item job key large last left level light line list "
    "local location main manager market message model month mobile name new north note number office open order "
    "other owner paper part person phone place plan point post price product project public quality question "
    "range record red region report request result river road room sales second section service shop short side "
    "sign silver site size small south source space special standard start state station status stock store "
    "street summer supply support system table team test text time title total town track travel type unit update "
    "user value version view water week west white window winter word work world year yellow young zone "
)
_WORDS = tuple(_TEXT.split())


def from_schema(schema: Schema, messages: Sequence[str], seed: int = 1, skeletons: int = SKELETONS) -> Fitted:
    """A generator without samples. Nothing of its sizes is the user's own: that is to be said where they are shown.

    Args:
        schema: of the messages.
        messages: their names: request and answer.
        seed: decides everything that is drawn.
        skeletons: messages to draw. Generated ones are built on them.

    Raises:
        BadInput: a message contains itself, and nothing lets it end.
    """
    random = Random(f"{seed} schema")  # noqa: S311 - nothing secret
    drawing = _Drawing(schema, random)
    drawn = [[drawing.drawn(name) for name in messages] for _ in range(skeletons)]
    return fit(schema, messages, drawn, seed).model_copy(update={"given": 0})


class _Drawing:
    """Draws messages, one after the other."""

    def __init__(self, schema: Schema, random: Random) -> None:
        self._messages = {message.name: message for message in schema.messages}
        self._values = {one.name: [value for value, _ in one.values] for one in schema.enumerations}
        self._random = random
        self._count = 0
        self._open: Counter[str] = Counter()

    def drawn(self, name: str) -> Json:
        """A message in JSON."""
        self._count = 0
        self._open.clear()
        return self._message(name)

    def _message(self, name: str, level: int = 0) -> Json:
        message = self._messages[name]
        if level > _DEEPEST:
            raise BadInput(f"message {name} contains itself without an end: make one of its fields optional")
        if message.wrapped:
            return self._field(message.fields[0], level)
        self._open[name] += 1
        chosen = self._chosen(message)
        drawn: dict[str, Json] = {}
        for field in message.fields:
            if self._given(field, chosen, level):
                drawn[field.json_name] = self._field(field, level)
        self._open[name] -= 1
        return drawn

    def _chosen(self, message: Message) -> dict[str, str]:
        """The field of each group of which one is set. The last one ends recursion least often, so any is drawn."""
        groups: dict[str, list[str]] = {}
        for field in message.fields:
            if field.oneof:
                groups.setdefault(field.oneof, []).append(field.name)
        return {group: self._random.choice(names) for group, names in groups.items()}

    def _given(self, field: Field, chosen: dict[str, str], level: int) -> bool:
        if field.oneof:
            return chosen[field.oneof] == field.name and (
                field.kind is not Kind.MESSAGE or not self._full(field, level)
            )
        if field.shape is not Shape.OPTIONAL or field.nullable:
            return True
        return not self._full(field, level) and self._random.random() < 0.7

    def _field(self, field: Field, level: int) -> Json:
        if (
            field.shape is Shape.OPTIONAL
            and field.nullable
            and (self._full(field, level) or self._random.random() < 0.3)
        ):
            return None
        count = 0 if self._full(field, level) else self._random.choice((0, 1, 1, 2, 2, 3, 5))
        if field.shape is Shape.MANY:
            return [self._one(field, level) for _ in range(count)]
        if field.shape is Shape.MAP:
            return {self._key(field.key): self._one(field, level) for _ in range(count)}
        return self._one(field, level)

    def _full(self, field: Field, level: int) -> bool:
        return self._count > _VALUES or level > _LEVELS or self._open[field.type_name] >= _WITHIN

    def _key(self, kind: Kind) -> str:
        if kind is Kind.BOOL:
            return self._random.choice(("true", "false"))
        return self._random.choice(_WORDS) if kind is Kind.STRING else str(self._random.randint(1, 10_000))

    def _one(self, field: Field, level: int) -> Json:
        self._count += 1
        if self._count > _MOST:
            raise BadInput(f"a message with {field.type_name or field.name} needs over {_MOST:,} values: give samples")
        if field.kind is Kind.MESSAGE:
            return self._message(field.type_name, level + 1)
        if field.kind is Kind.ENUM:
            return self._random.choice(self._values[field.type_name])
        return self._text(field.format) if field.kind in {Kind.STRING, Kind.JSON} else self._other(field.kind)

    def _other(self, kind: Kind) -> Json:
        random = self._random
        match kind:
            case Kind.BOOL:
                return random.random() < 0.5
            case Kind.DOUBLE:
                return round(random.uniform(0, 1000), 2)
            case Kind.FLOAT:
                # Exact in 32 bits.
                return random.randrange(2**14) / 2**6
            case Kind.BYTES:
                return base64.b64encode(random.randbytes(self._length())).decode()
        wide = kind in {Kind.INT64, Kind.UINT64}
        return random.getrandbits(random.choice((7, 14, 21, 31, 42, 50) if wide else (4, 7, 10, 14, 21, 31)))

    def _text(self, form: str) -> str:
        random = self._random
        moment = dt.datetime(2024, 1, 1, tzinfo=dt.UTC) + dt.timedelta(seconds=random.randrange(2 * 365 * 86_400))
        known = {
            "uuid": lambda: str(uuid.UUID(int=random.getrandbits(128), version=4)),
            "date-time": lambda: moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "date": lambda: moment.strftime("%Y-%m-%d"),
            "time": lambda: moment.strftime("%H:%M:%SZ"),
            "duration": lambda: f"PT{random.randint(1, 3600)}S",
            "decimal": lambda: f"{random.randint(1, 10_000)}.{random.randint(0, 99):02}",
            "email": lambda: f"{random.choice(_WORDS)}.{random.choice(_WORDS)}@example.org",
            "uri": lambda: f"https://example.org/{random.choice(_WORDS)}/{random.randint(1, 10_000)}",
            "ipv4": lambda: f"192.0.2.{random.randint(1, 254)}",
            "hostname": lambda: f"{random.choice(_WORDS)}.example.org",
        }
        if form in known:
            return known[form]()
        length = self._length()
        text = " ".join(random.choices(_WORDS, k=1 + length // 4))
        return text[:length].strip() or "a"

    def _length(self) -> int:
        """A length with the published quantiles; between them its logarithm grows evenly."""
        share = self._random.random()
        for (low, short), (high, long) in pairwise(_LENGTHS):
            if share <= high:
                part = (share - low) / (high - low)
                return round(math.exp(math.log(short) + part * (math.log(long) - math.log(short))))
        return round(_LENGTHS[-1][1])
