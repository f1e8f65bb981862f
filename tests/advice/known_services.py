"""Services whose best stack is arithmetic, and what an advice on each may say.

A text of one letter repeated is the payload: plain, it has its length in every format; compressed, next to nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from callbench.analysis.advice.choice import AdviceVerdict

JSON = "native/json+https-keepalive"
LONG, SHORT = 40_000, 10
SLOW, FAR = "25ms,1mbit", "200ms,20mbit"


def message(length: int) -> dict[str, Any]:
    """A request, or an answer, whose text has so many letters."""
    return {"id": 17, "note": "x" * length}


def compressed(stack: str) -> bool:
    """Whether a stack compresses bodies: of bincomp, those of more than 4,096 bytes are one zlib stream."""
    return stack.endswith(("-gzip", "-zstd")) or "/bincomp+" in stack


def framed(stack: str) -> bool:
    """Whether a stack sends a message with a length and no more."""
    return stack.endswith("+tcp-tls")


@dataclass(frozen=True)
class KnownService:
    """A service, a situation, and what is true.

    Attributes:
        why: the arithmetic.
        request, answer: letters of each; None: nobody gave an answer.
        situation: as a file has it, with one link.
        verdicts: which of them are true.
        wins: whether a stack may be named.
    """

    name: str
    why: str
    request: int
    answer: int | None
    situation: Mapping[str, Any]
    verdicts: Sequence[AdviceVerdict]
    wins: Callable[[str], bool] = compressed

    @property
    def options(self) -> list[str]:
        """The situation as the command's options."""
        (link,) = self.situation["links"]
        said = {**self.situation, **self.situation.get("prices", {}), **link}
        names = (name for name in said if name not in {"links", "prices"})
        return [part for name in names for part in (f"--{name.replace('_', '-')}", str(said[name]))]

    def judged(self, advice: Mapping[str, Any]) -> str:
        """Judge an advice as `--json` prints it: right, undecided, or what is false of it."""
        if self.answer is None and not any("answer" in each for each in advice["assumed"]):
            return "false: it does not name the answer among what it assumes"
        if advice["verdict"] == AdviceVerdict.UNDECIDED:
            return "undecided"
        if advice["verdict"] not in self.verdicts:
            return f"false: {advice['verdict']}"
        named = {AdviceVerdict.CHOOSE: [advice["choice"]], AdviceVerdict.EITHER: advice["leaders"]}
        beaten = [each for each in named.get(advice["verdict"], []) if not self.wins(each)]
        return f"false: it names {', '.join(beaten)}" if beaten else "right"


NAMED = (AdviceVerdict.CHOOSE, AdviceVerdict.EITHER)
_DEAR = {"prices": {"gigabyte_out": 0.08, "processor_hour": 0.04}, "today": JSON, "links": [{"link": "25ms,20mbit"}]}
_SLOW, _FAR = {"links": [{"link": SLOW}]}, {"links": [{"link": FAR}]}
SERVICES = (
    KnownService("long request, slow link", "40 kB take 320 ms over 1 Mbit/s, and compressed 1",
                 LONG, SHORT, _SLOW, NAMED),
    KnownService("long answer, slow link", "the same on the way back", SHORT, LONG, _SLOW, NAMED),
    KnownService("long request, no answer", "the request alone takes 320 ms plain, whatever the answer is",
                 LONG, None, _SLOW, NAMED),
    KnownService("short, far away, no answer", "200 ms of the call are the link's delay: no stack saves 5 %",
                 SHORT, None, {"today": JSON, **_FAR}, (AdviceVerdict.STAY,)),
    KnownService("many bytes at a price", "1,000 calls/s of 40 kB are 105 TB a month, 8,400 EUR, and compressed none",
                 SHORT, LONG, {"calls_per_second": 1000, **_DEAR}, NAMED),
    KnownService("few bytes at a price", "0.2 calls/s of 40 kB are 21 GB a month, 1.68 EUR: nothing saves 50",
                 SHORT, LONG, {"calls_per_second": 0.2, **_DEAR}, (AdviceVerdict.STAY,)),
    KnownService("too far away", "a round trip of 200 ms meets no objective of 150",
                 SHORT, SHORT, {"objective": "mean under 150 ms", **_FAR}, (AdviceVerdict.NONE,)),
    KnownService("bytes of a short call", "headers of HTTP are longer than the messages",
                 SHORT, SHORT, {"goal": "bytes", **_SLOW}, NAMED, framed),
)  # fmt: skip
