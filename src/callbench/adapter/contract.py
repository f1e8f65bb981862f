"""The messages of the contract as Python types, and the check of their form. contract/CONTRACT.md describes them."""

import functools
import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, NotRequired, TypedDict

import jsonschema
import jsonschema_rs

from callbench.model.errors import BadInput
from callbench.model.installation import schema_folder

if TYPE_CHECKING:
    from callbench.store.lines.load import LoadGenerator

LONGEST_LINE = 16 << 20

Arguments = Mapping[str, Any]
Options = Mapping[str, Any]
# A line of an adapter, as JSON has it; what it must have, its schema says.
ContractMessage = dict[str, Any]


class DriveInterval(NamedTuple):
    """What a drive came to until a moment.

    Attributes:
        at_ns: nanoseconds since the start.
        calls: right answers since then.
        errors: likewise.
        kinds: the errors by kind, without those that have not occurred; None: the adapter does not report them.
    """

    at_ns: int
    calls: int
    errors: int
    kinds: Mapping[str, int] | None


OnInterval = Callable[[DriveInterval], None]
# Of the member `latency` of an interval: nanoseconds since the start; buckets and counts.
OnLatency = Callable[[int, Sequence[tuple[int, int]]], None]


class Clock(TypedDict):
    """An adapter's clock: its resolution and the cost of a reading, in nanoseconds."""

    name: str
    resolution_ns: float
    reading_ns: float


class Hello(TypedDict):
    """The first message of an adapter."""

    contract: int
    adapter: str
    language: str
    version: str
    runtime: str
    libraries: dict[str, str]
    clock: Clock
    features: list[str]
    stacks: list[str]
    unavailable: NotRequired[dict[str, str]]


class Cpu(TypedDict):
    """Processor time of a process so far: nanoseconds as decimal strings."""

    user_ns: str
    system_ns: str


class BothEnds(TypedDict):
    """Processor time at the start and at the end."""

    start: Cpu
    end: Cpu


class Histogram(TypedDict):
    """Log-linear buckets of nanoseconds, sparse: [index, count]."""

    count: int
    sum_ns: str
    min_ns: int
    max_ns: int
    buckets: list[tuple[int, int]]


class DoneEndpoint(TypedDict):
    """The calls of one endpoint of a drive, or of one step of a session."""

    name: str
    calls: int
    errors: dict[str, int]
    in_call_ns: str
    latency: Histogram | None


class Done(TypedDict):
    """The result of a drive. The core adds `intervals`: [at_ns, calls, errors] of each interval line.

    If several hosts drove, it adds `generators`, what each did (`adapter/joint_drive`).
    """

    calls: int
    errors: dict[str, int]
    error_messages: NotRequired[dict[str, str]]
    elapsed_ns: int
    window_ns: NotRequired[int]
    answered: NotRequired[int]
    in_flight: NotRequired[int]
    in_flight_part: NotRequired[float]
    timed: str
    batch: int
    latency: Histogram | None
    service: Histogram | None
    lateness: Histogram | None
    parts: NotRequired[list[Histogram]]
    in_call_ns: str
    think_ns: str
    gap_ns: NotRequired[str | None]
    processor: BothEnds
    threads: int
    received_bytes: NotRequired[str]
    sent_bytes: NotRequired[str]
    unserved: NotRequired[int]
    held_back: NotRequired[int]
    sent_again: NotRequired[int]
    started_ns: NotRequired[int]
    endpoints: NotRequired[list[DoneEndpoint]]
    generators: "NotRequired[list[LoadGenerator]]"
    intervals: list[tuple[int, int, int]]


class Stage(TypedDict):
    """A part of a server's own work: how often it was done, and its nanoseconds by the clock.

    `processor_ns` is its processor time; a stage without it is a wait. `bytes` is the size of its input. All but
    `times` are decimal strings.
    """

    times: int
    ns: str
    processor_ns: NotRequired[str]
    bytes: NotRequired[str]


class Counts(TypedDict):
    """A server's answers since the last request, by call, with its processor time and the stages of its work.

    `endpoints` has the same by stack, if one process serves several.
    """

    calls: dict[str, int]
    endpoints: NotRequired[dict[str, dict[str, int]]]
    processor: Cpu
    stages: NotRequired[dict[str, Stage]]


class CodecSide(TypedDict):
    """Mean values of one direction."""

    bytes: float
    encode_ns: float
    decode_ns: float


class Codec(TypedDict):
    """The message alone, without a channel."""

    payloads: int
    request: CodecSide
    answer: CodecSide


def fault_of(answer: Mapping[str, Any]) -> str | None:
    """Return the text of a `returned` that is a fault; None otherwise."""
    fault = answer.get("fault")
    return None if fault is None else str(fault["message"])


def schema_error_in_answer(answer: Mapping[str, object]) -> str | None:
    """Return how a line of an adapter breaks the schema, or None.

    Raises:
        BadInput: the schema of the installation is missing or damaged.
    """
    name = str(answer.get("is"))
    if name not in _messages():
        return f"there is no message {name!r} in the contract"
    # Thousands of answers are checked in a run. Only a wrong one is checked again by the slow validator, for its
    # standard messages.
    if _quick(name).is_valid(answer):
        return None
    for error in _validator(name).iter_errors(answer):
        where = ".".join(str(step) for step in error.absolute_path)
        shown = error.message if len(error.message) < 200 else error.message[:200] + " ..."
        return f"{name}{'.' if where else ''}{where}: {shown}"
    return None


@functools.cache
def _schema() -> dict[str, Any]:
    file = schema_folder() / "answers.json"
    try:
        schema: dict[str, Any] = json.loads(file.read_bytes())
    except (OSError, ValueError) as failure:
        raise BadInput(f"the installation is damaged: cannot read {file}: {failure}") from failure
    return schema


@functools.cache
def _messages() -> frozenset[str]:
    return frozenset(str(each["$ref"]).rpartition("/")[2] for each in _schema()["oneOf"])


@functools.cache
def _quick(name: str) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": _schema()["$defs"]})


@functools.cache
def _validator(name: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": _schema()["$defs"]})
