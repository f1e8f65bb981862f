"""What was seen at each place of the samples. It grows with the number of places, not with the number of samples."""

from collections import Counter
from collections.abc import Iterator

from callbench.catalog.imports.samples import text_format
from callbench.model.service.imported import Json

# Beyond so many keys at one place they are data, and only what lies under them is kept.
_MOST_KEYS = 2000
_MOST_VALUES = 64
NULL, BOOL, NUMBER, TEXT, LIST, OBJECT = "null", "true or false", "a number", "text", "a list", "an object"


def pointer(place: str, key: str | int) -> str:
    """The JSON pointer (RFC 6901) one step further."""
    return f"{place}/{str(key).replace('~', '~0').replace('/', '~1')}"


class ObservedPlace:
    """What was seen at one place.

    Attributes:
        first: where each type was seen first.
        mixed: one and the same document has values of different types here.
        objects: how many objects were here.
        members: what was seen under each key, if here are objects.
        others: what was seen under all further keys, once there were too many.
        items: what the lists here hold.
        empty: lists without items and objects without keys.
    """

    def __init__(self) -> None:
        """Nothing was seen yet."""
        self.count = 0
        self.first: dict[str, str] = {}
        self.mixed = False
        self.nulls = 0
        self.least = 0
        self.most = 0
        self.fractions = 0
        self.formats = text_format.ALL
        self.texts: Counter[str] = Counter()
        self.objects = 0
        self.members: dict[str, ObservedPlace] = {}
        self.others: ObservedPlace | None = None
        self.items: ObservedPlace | None = None
        self.lists = 0
        self.empty = 0
        self._document = -1
        self._type = ""

    def add(self, value: Json, place: str, document: int) -> None:
        """See a value.

        Args:
            value: any.
            place: file and JSON pointer, for messages.
            document: the number of the document that it is in.
        """
        self.count += 1
        type_ = type_of(value)
        self.first.setdefault(type_, place)
        if type_ == NULL:
            self.nulls += 1
        else:
            self.mixed = self.mixed or (self._document == document and self._type != type_)
            self._document, self._type = document, type_
        if type_ == NUMBER:
            self._add_number(value)  # type: ignore[arg-type]
        elif isinstance(value, str):
            self._add_text(value)
        elif isinstance(value, list):
            self.lists += 1
            self.empty += not value
            self.items = self.items or ObservedPlace()
            for at, item in enumerate(value):
                self.items.add(item, pointer(place, at), document)
        elif isinstance(value, dict):
            self.objects += 1
            self.empty += not value
            for key, inner in value.items():
                self._member(key).add(inner, pointer(place, key), document)

    def put(self, key: str, value: Json, times: int) -> None:
        """See a value under a key of all objects here, which so many samples have."""
        for number in range(times):
            self._member(key).add(value, key, number)

    @property
    def types(self) -> set[str]:
        """The types seen, without null."""
        return set(self.first) - {NULL}

    def under_all_keys(self) -> "ObservedPlace":
        """What was seen under any key, as if all were one."""
        merged = ObservedPlace()
        for member in self.every_member():
            merged.merge(member)
        return merged

    def every_member(self) -> Iterator["ObservedPlace"]:
        """What was seen under each key."""
        yield from self.members.values()
        if self.others is not None:
            yield self.others

    def merge(self, other: "ObservedPlace") -> None:
        """Take another place's as if it had been seen here."""
        if self.types and other.types - self.types:
            self.mixed = True
        for type_, place in other.first.items():
            self.first.setdefault(type_, place)
        if NUMBER in other.first:
            self.least, self.most = min(self.least, other.least), max(self.most, other.most)
        if TEXT in other.first:
            self.formats &= other.formats
            self.texts.update(other.texts)
        for name in ("count", "nulls", "fractions", "objects", "lists", "empty"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.mixed = self.mixed or other.mixed
        if other.items is not None:
            self.items = self.items or ObservedPlace()
            self.items.merge(other.items)
        for key, member in other.members.items():
            self._member(key).merge(member)
        if other.others is not None:
            self.others = self.others or ObservedPlace()
            self.others.merge(other.others)

    def texts_as_lists(self) -> None:
        """Takes each text that was seen here as a list of one text. Nothing but texts, lists and null was seen."""
        texts = self.count - self.lists - self.nulls
        self.items = self.items or ObservedPlace()
        self.items.count += texts
        self.items.formats &= self.formats
        self.items.texts.update(self.texts)
        self.items.first.setdefault(TEXT, self.first.pop(TEXT))
        self.lists += texts

    def _member(self, key: str) -> "ObservedPlace":
        member = self.members.get(key)
        if member is None:
            if len(self.members) >= _MOST_KEYS:
                self.others = self.others or ObservedPlace()
                return self.others
            member = self.members[key] = ObservedPlace()
        return member

    def _add_number(self, value: float) -> None:
        if isinstance(value, int):
            self.least, self.most = min(self.least, value), max(self.most, value)
        else:
            self.fractions += 1

    def _add_text(self, value: str) -> None:
        if self.formats:
            self.formats = text_format.still(self.formats, value)
        # One more than the limit shows that there are too many.
        if value in self.texts or len(self.texts) <= _MOST_VALUES:
            self.texts[value] += 1


def type_of(value: Json) -> str:
    """The type of a value, in words for messages."""
    if value is None:
        return NULL
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, int | float):
        return NUMBER
    if isinstance(value, str):
        return TEXT
    return LIST if isinstance(value, list) else OBJECT
