"""What can be started from the page: the fields of each command, and the command line that they make."""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from callbench.model.errors import BadInput
from callbench.model.secrets import Secrets

# Of a value, in characters. A whole body has to fit into a command line, of which Linux takes 128 KiB a word.
_LONGEST = 2000
_LONGEST_TEXT = 30_000


@dataclass(frozen=True)
class FormField:
    """An argument or an option of a command.

    Attributes:
        name: in an address.
        label: for people.
        option: with its dashes; "" for an argument.
        kind: `text`, `number`, `check`, `lines` (each line is a value) or `area` (a value of several lines).
        hint: an example.
        many: whether words with blanks between them are several values; a shell's quotes keep a blank in one.
        group: the heading that it stands under.
    """

    name: str
    label: str
    option: str = ""
    kind: str = "text"
    hint: str = ""
    many: bool = False
    group: str = ""

    def words(self, value: str) -> list[str]:
        """Return what it adds to a command line.

        Raises:
            BadInput: the value cannot be part of one.
        """
        several = self.kind in {"lines", "area"}
        longest = _LONGEST_TEXT if several else _LONGEST
        value = value.replace("\r\n", "\n") if several else value
        if len(value) > longest or not all(_is_plain(character, several=several) for character in value):
            raise BadInput(f"{self.label}: at most {longest} printable characters can be given")
        if not value:
            return []
        if self.kind == "lines":
            return [f"{self.option}={line.strip()}" for line in value.split("\n") if line.strip()]
        if self.kind == "check":
            return [self.option]
        given = separate(value) if self.many else [value]
        if self.option:
            return [f"{self.option}={word}" for word in given]
        for word in given:
            if word.startswith("-"):
                raise BadInput(f"{self.label}: {word!r} would be an option; give a name or an address")
        return given


@dataclass(frozen=True)
class Form:
    """A command.

    Attributes:
        about: what it does.
        needs: names of fields, of which one has to be filled.
        calls: whether `--dry-run` makes one call, and says how long it takes.
    """

    about: str
    fields: Sequence[FormField]
    needs: Sequence[str]
    calls: bool = False

    @property
    def groups(self) -> Mapping[str, Sequence[FormField]]:
        """The fields under each heading, in their order."""
        found: dict[str, list[FormField]] = {}
        for field in self.fields:
            found.setdefault(field.group, []).append(field)
        return found

    def addresses(self, values: Mapping[str, str]) -> list[str]:
        """Return the URLs of servers in its arguments."""
        return [
            value
            for field in self.fields
            if not field.option and "://" in (value := values.get(field.name, "").strip()).partition(" ")[0]
        ]


_REQUEST = (
    FormField("path", "Path", "--path", hint="/hello", group="Request"),
    FormField("method", "Method", "--method", hint="GET, or POST with a body", group="Request"),
    FormField("header", "Headers, one a line", "--header", "lines", hint="Accept: text/plain", group="Request"),
    FormField("body", "Body", "--body", "area", hint="text, or the path of a file", group="Request"),
    FormField("over_http2", "HTTP/2", "--http2", "check", group="Request"),
    FormField("grpc", "gRPC", "--grpc", "check", group="Request"),
    FormField("status", "Status", "--expect-status", hint="200 to 299", many=True, group="Right answers"),
    FormField("expect", "Whole body", "--expect-body", "area", hint="any", group="Right answers"),
    FormField("json", "JSON paths, one a line", "--expect-json", "lines", hint="$.user.name=x", group="Right answers"),
    FormField("match", "Regular expression", "--expect-match", hint="^Hello", group="Right answers"),
    FormField("timeout", "Seconds until a call has failed", "--timeout", "number", group="Right answers"),
)
_SERVER = (
    FormField("server", "Server", hint="http://127.0.0.1:8080/hello", group="Server"),
    FormField("start", "Or a command that starts it", "--start", hint="python3 server.py {port}", group="Server"),
    *_REQUEST,
)
_ANY_HOST = FormField("any_host", "The server may be on another machine: it is mine", "--any-host", "check", "")
_THINK = FormField("think", "Milliseconds between calls of a client", "--think", "number")
_OBJECTIVE = FormField("objective", "Objective", "--objective", hint="p99 under 50 ms")
_COMMIT = FormField("commit", "Commit of what is measured", "--commit", hint="HEAD, or a version")
_LINK = FormField("link", "Link", "--link", hint="lan100")
# What forms of tests of a server end with.
_WHERE = (_LINK, _COMMIT, _ANY_HOST)
_EACH_OF = ("server", "start")

# The command that serves until it is stopped, and leaves no record.
SERVE = "serve"

FORMS: Mapping[str, Form] = {
    "run": Form(
        "Measure the cells of a study and rank its stacks.",
        (
            FormField("study", "Study", hint="remobjects"),
            FormField("select", "Only matching cells", "--select", hint="message=soap", many=True),
            FormField("set", "Parameters of the study", "--set", hint="persons=10", many=True),
            _LINK,
            FormField("hosts", "Hosts of server and clients", "--hosts", hint="alpha,beta"),
            FormField("forks", "Forks", "--forks", "number"),
            FormField("budget", "Longest time for measuring", "--budget", hint="10m"),
            FormField("until", "Until intervals are this narrow", "--until", hint="2%"),
            FormField("quick", "Quick run", "--quick", "check"),
            FormField("hold_idle", "Keep processors out of deep idle states (root)", "--hold-idle", "check"),
            _COMMIT,
        ),
        ("study",),
    ),
    "load": Form(
        "Put a server under load: rate, latency and errors.",
        (
            *_SERVER,
            FormField("clients", "Clients", "--clients", "number", hint="50"),
            FormField("seconds", "Seconds", "--seconds", "number", hint="10"),
            FormField("rate", "Arrivals per second", "--rate", "number"),
            _THINK,
            FormField("fail_if", "Fails if, one a line", "--fail-if", "lines", hint="p99 > 50 ms"),
            _COMMIT,
        ),
        _EACH_OF,
        calls=True,
    ),
    "capacity": Form(
        "Find how many clients a server holds, and what limits it.",
        (
            *_SERVER,
            _OBJECTIVE,
            FormField("need", "Clients that must be held", "--need", "number"),
            FormField("seconds", "Seconds, at most", "--seconds", "number", hint="120"),
            _THINK,
            *_WHERE,
        ),
        _EACH_OF,
        calls=True,
    ),
    "soak": Form(
        "Load a server for a long time and watch its health.",
        (
            *_SERVER,
            FormField("clients", "Clients of each step", "--clients", hint="1,10,50"),
            FormField("seconds", "Seconds of each step", "--seconds", "number", hint="60"),
            FormField("rest", "Seconds of rest after each", "--rest", "number", hint="10"),
            _THINK,
            *_WHERE,
        ),
        _EACH_OF,
        calls=True,
    ),
    "overload": Form(
        "Send more calls than a server can answer, and watch it recover.",
        (
            *_SERVER,
            _OBJECTIVE,
            FormField("times", "Multiples of its capacity", "--times", hint="2,10"),
            FormField("clients", "Most calls at once", "--clients", "number", hint="200"),
            FormField("seconds", "Seconds of each", "--seconds", "number", hint="10"),
            FormField("capacity", "Its capacity in calls/s, if known", "--capacity", "number"),
            *_WHERE,
        ),
        _EACH_OF,
        calls=True,
    ),
    "torture": Form(
        "Open misbehaving connections, and watch what normal calls meet.",
        (
            *_SERVER,
            FormField("test", "Only these tests", "--test", hint="flood,slowloris"),
            FormField("connections", "Bad connections at once", "--connections", "number", hint="1000"),
            FormField("seconds", "Seconds of each test", "--seconds", "number", hint="10"),
            _LINK,
            _ANY_HOST,
        ),
        _EACH_OF,
        calls=True,
    ),
    "advise": Form(
        "Advise which stack to use in a situation, and why.",
        (
            FormField("of", "Of", hint="a run, a study, an imported service or a sample"),
            FormField("link", "Links", "--link", hint="25ms,20mbit", many=True),
            FormField("today", "Stack that runs today", "--today", hint="native/json+http-keepalive"),
            FormField("rate", "Calls per second", "--calls-per-second", "number"),
            FormField("objective", "Latency that every link must meet", "--objective", hint="p99 under 50 ms"),
            FormField("language", "Languages that must take part", "--language", hint="java go", many=True),
            FormField("goal", "What is to be small", "--goal", hint="time, money, processor or bytes"),
            FormField("budget", "Time for measuring", "--budget", hint="60s"),
            FormField("browsers", "Browsers make the calls", "--browsers", "check", group="Who calls"),
            FormField("others", "Programs of others make the calls", "--others", "check", group="Who calls"),
            FormField("no_tls", "Calls are not encrypted", "--no-tls", "check", group="Who calls"),
            FormField("readable", "People read the messages", "--readable", "check", group="Who calls"),
            FormField("processor", "A processor for an hour", "--processor-hour", "number", group="Prices"),
            FormField("gigabyte", "10^9 bytes to the clients", "--gigabyte-out", "number", group="Prices"),
            FormField("currency", "Currency", "--currency", hint="EUR", group="Prices"),
            FormField("worth", "Least saving a month", "--worth", "number", hint="50", group="Prices"),
        ),
        ("of",),
    ),
    SERVE: Form(
        "Serve stacks at 127.0.0.1 for a client of your own, until it is stopped. It measures nothing.",
        (
            FormField("every", "Every native stack, in one process", "--all", "check"),
            FormField("stacks", "Or stacks by name", hint="rust/hyper native/json+http", many=True),
            FormField("channels", "Of the native ones, only these channels at first", "--channels", hint="http,tcp"),
            FormField("port", "First port", "--port", "number", hint="any free ones"),
            FormField("option", "Options of stacks by name, one a line", "--option", "lines", hint="delay_us=1000"),
        ),
        ("every", "stacks"),
    ),
    "compare": Form(
        "Compare two stacks or two servers.",
        (
            FormField("a", "First", hint="native/soap+tcp, or http://127.0.0.1:8080/hello"),
            FormField("b", "Second", hint="native/json+tcp"),
            *_REQUEST,
            FormField("call", "Call", "--call", hint="Sum"),
            FormField("clients", "Clients", "--clients", "number"),
            FormField("seconds", "Seconds", "--seconds", "number"),
        ),
        ("a",),
    ),
}


def command_line(what: str, values: Mapping[str, str]) -> list[str]:
    """Return the words of a command after `callbench`; none if what it needs is not filled in.

    Raises:
        BadInput: there is no such command here, or a value cannot be given.
    """
    form = FORMS.get(what)
    if form is None:
        raise BadInput(f"there is no form for {what!r}: {', '.join(FORMS)} have one")
    given = {field.name: values.get(field.name, "").strip() for field in form.fields}
    words = [word for field in form.fields for word in field.words(given[field.name])]
    return [what, *words] if any(given[name] for name in form.needs) else []


def separate(text: str) -> list[str]:
    """Return the words of a text as a shell has them: quotes keep blanks.

    Raises:
        BadInput: a quote has no end.
    """
    try:
        return shlex.split(text)
    except ValueError as failure:
        raise BadInput(f"{text}: {str(failure).lower()}; end the quote, or leave it out") from failure


def joined(words: Iterable[str]) -> str:
    """Return words as a text that `separate` takes, with quotes only where they are needed."""
    return " ".join(shlex.quote(word) if set(word) & set(" \t\n'\"\\") else word for word in words)


def masked(words: Sequence[str]) -> list[str]:
    """Return words of a command line as they are shown: without the secrets in them."""
    return list(Secrets().masked(list(words)))


def _is_plain(character: str, *, several: bool) -> bool:
    return character.isprintable() or (several and character in "\n\t")
