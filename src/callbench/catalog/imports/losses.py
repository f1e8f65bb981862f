"""The losses that several formats have in common, each said in the same words."""

from callbench.model.service.schema import Kind, Loss

UNION = ("One of several forms is allowed.", "One message has the fields of all forms, and all are optional.")
ANY = ("The type of the value is open.", "It is kept as JSON (google.protobuf.Value).")
SEVERAL = ("The value can have several types.", "It is kept as JSON (google.protobuf.Value).")
WHOLE = ("JSON readers in JavaScript round integers above 2^53.", "It is a 64-bit integer, and a number in JSON.")
NULL_OR_ABSENT = ("The key can be absent or null.", "Null is the same as absent.")
NULL_LIST = ("A list or a map can be null.", "Null is the same as empty.")
ABSENT_LIST = ("A list or a map can be absent.", "Absent is the same as empty.")
NULL_ITEM = ("The items can be null.", "They are kept as JSON (google.protobuf.Value).")
NAMED_AND_OTHER = ("Keys besides the named ones are allowed.", "Only the named keys are kept.")
LISTED = ("Only listed values are allowed.", "Every value of the type is; generated payloads keep to the list.")
DEFAULT = ("The field has a default of its own.", "The default is left out.")
CONTRADICTION = ("The limits contradict each other: no value keeps to them.", "Generated payloads do not keep to them.")
BEYOND = ("No integer of this type is within the limits.", "Generated payloads do not keep to them.")
WIDER = ("Integers beyond 64 bits are allowed.", "It has 64 bits.")
BESIDE_REFERENCE = ("Words stand beside a `$ref`.", "They are ignored, as OpenAPI before 3.1 says.")
ONE_WAY = {
    "readOnly": ("The key is in answers alone (readOnly).", "It can be absent in both directions."),
    "writeOnly": ("The key is in requests alone (writeOnly).", "It can be absent in both directions."),
}
NOT = ("The word `not` excludes values.", "It is left out.")


def disregarded(word: str) -> tuple[str, str]:
    """The loss of a word of JSON Schema, or of a format, that excludes values."""
    return f"The schema limits values by `{word}`.", "It is left out, and generated payloads do not keep to it."


TIMES = {"date", "time", "date-time", "duration", "datetime"}
DECIMALS = {"decimal", "money", "bignum", "number"}


class Losses:
    """Collects losses, each once."""

    def __init__(self) -> None:
        """There are none yet."""
        self._all: dict[tuple[str, str], Loss] = {}

    def add(self, place: str, what: tuple[str, str]) -> None:
        """Notes a loss: its problem and what it becomes."""
        self._all.setdefault((place, what[0]), Loss(place, *what))

    def of_format(self, place: str, kind: Kind, form: str) -> None:
        """Notes what a format of text or numbers loses, if it does."""
        if form in TIMES:
            self.add(
                place,
                (f"Not every format has a type for `{form}`.", f"It is {_kind_name(kind)} of the format `{form}`."),
            )
        elif form in DECIMALS:
            self.add(
                place, ("Not every format has decimal numbers.", f"It is {_kind_name(kind)} of the format `{form}`.")
            )

    @property
    def all(self) -> tuple[Loss, ...]:
        """In the order in which they were noted."""
        return tuple(self._all.values())


def _kind_name(kind: Kind) -> str:
    return {Kind.STRING: "text", Kind.BYTES: "bytes"}.get(kind, f"a number ({kind})")
