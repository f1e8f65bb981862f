"""Our SOAP against zeep's: building and parsing the same GetPersons(250) answer, in one run, in random order.

Prints how many times longer zeep takes, and fails below the factor that a native codec owes to an interpreted one.
"""

import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import zeep
from lxml import etree

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = ROOT / "engine" / "target" / "release" / "callbench-native"
GOLDEN = ROOT / "contract" / "golden" / "messages" / "soap"
NAMESPACE = "urn:SpeedLibrary-SpeedService"
STACK = "native/soap+http-keepalive"
PERSONS = 250
ROUNDS = 15
REPEATS = 5
SECONDS = 0.05
OWED = 10


class Ours:
    """The adapter, used only for its codec."""

    def __init__(self, requests: IO[str], answers: IO[str]) -> None:
        """Read its greeting."""
        self._requests, self._answers = requests, answers
        self._answers.readline()

    def nanoseconds(self) -> tuple[float, float]:
        """Building and parsing an answer."""
        arguments = {"n": PERSONS}
        request = {
            "do": "codec",
            "id": 1,
            "stack": STACK,
            "call": "GetPersons",
            "arguments": arguments,
            "seconds": SECONDS,
        }
        print(json.dumps(request), file=self._requests, flush=True)
        answer = json.loads(self._answers.readline())
        if answer["is"] != "codec":
            sys.exit(f"the adapter said {answer}")
        return answer["answer"]["encode_ns"], answer["answer"]["decode_ns"]


class Zeep:
    """zeep with the service's own description."""

    def __init__(self, description: Path) -> None:
        """Make the answer that is built and parsed."""
        library: Any = zeep
        client = library.Client(str(description))
        self._operation = client.service._binding.get("GetPersons")  # noqa: SLF001 - zeep has no public way to build an answer
        self._person = client.get_type(f"{{{NAMESPACE}}}Person")
        self._item = library.xsd.Element("item", self._person)
        self._any = library.xsd.AnyObject
        self._array = client.get_type(f"{{{NAMESPACE}}}ArrayOfPerson")
        self._values = [{"ID": i, "FirstName": f"First{i}", "LastName": f"Last{i}"} for i in range(PERSONS)]
        self._text = answer(self._values)
        found = self.parse()
        if len(found) != PERSONS or found[-1]["ID"] != PERSONS - 1:
            sys.exit("zeep does not read the answer")

    def build(self) -> bytes:
        """Write the answer as zeep does."""
        items = [self._any(self._item, self._person(**value)) for value in self._values]
        message = self._operation.output.serialize(Result=self._array(items))
        text: bytes = etree.tostring(message.content)
        return text

    def parse(self) -> Any:  # noqa: ANN401 - zeep makes its types at run time
        """Read the answer as our own server writes it."""
        return self._operation.process_reply(etree.fromstring(self._text))

    def nanoseconds(self) -> tuple[float, float]:
        """Building and parsing an answer."""
        return timed(self.build), timed(self.parse)


def answer(persons: list[dict[str, Any]]) -> bytes:
    """Our server's answer with these persons, after the pattern of the golden one."""
    head, _, rest = GOLDEN.joinpath("persons.answer").read_text().partition("<item")
    tail = rest.rpartition("</item>")[2]
    fields = (("ID", "int"), ("FirstName", "string"), ("LastName", "string"))
    items = (
        "".join(f'<{name} xsi:type="xsd:{kind}">{person[name]}</{name}>' for name, kind in fields) for person in persons
    )
    body = "".join(f'<item xsi:type="ns1:Person">{item}</item>' for item in items)
    return f"{head}{body}{tail}".replace("Person[2]", f"Person[{len(persons)}]").encode()


def timed(work: Callable[[], object]) -> float:
    """Nanoseconds that `work` takes."""
    start = time.perf_counter_ns()
    for _ in range(REPEATS):
        work()
    return (time.perf_counter_ns() - start) / REPEATS


def compare(ours: Ours, theirs: Zeep) -> list[tuple[float, float]]:
    """The ratios theirs / ours of each round, for building and for parsing."""
    ratios = []
    for _ in range(ROUNDS):
        sides: list[Ours | Zeep] = random.sample([ours, theirs], 2)
        taken = {side: side.nanoseconds() for side in sides}
        (our_build, our_parse), (build, parse) = taken[ours], taken[theirs]
        ratios.append((build / our_build, parse / our_parse))
    return ratios


def main() -> int:
    """Compare, print, judge."""
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(
            [PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as adapter,
    ):
        # The description says `#` for "in this document": from a file, zeep takes that for the file's name.
        description = Path(folder) / "#"
        description.write_text(GOLDEN.joinpath("service.wsdl").read_text())
        if adapter.stdin is None or adapter.stdout is None:
            return 1
        ratios = compare(Ours(adapter.stdin, adapter.stdout), Zeep(description))
        adapter.stdin.close()
    medians = [statistics.median(side) for side in zip(*ratios, strict=True)]
    for name, median, each in zip(("building", "parsing"), medians, zip(*ratios, strict=True), strict=True):
        spread = f"{min(each):.0f} to {max(each):.0f}"
        print(f"{name} GetPersons({PERSONS}): zeep takes {median:.0f} times as long as callbench ({spread})")
    return 0 if min(medians) >= OWED else 1


if __name__ == "__main__":
    sys.exit(main())
