"""What can be started from the page: the fields of each command, and the command line that they make."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from callbench.model.errors import BadInput

_LONGEST = 2000


@dataclass(frozen=True)
class FormField:
    """An argument or an option of a command.

    Attributes:
        name: in an address.
        label: for people.
        option: with its dashes; "" for an argument.
        kind: `text`, `number` or `check`.
        hint: an example.
        many: whether words with blanks between them are several values.
    """

    name: str
    label: str
    option: str = ""
    kind: str = "text"
    hint: str = ""
    many: bool = False

    def words(self, value: str) -> list[str]:
        """Return what it adds to a command line.

        Raises:
            BadInput: the value cannot be part of one.
        """
        if len(value) > _LONGEST or not all(character.isprintable() for character in value):
            raise BadInput(f"{self.label}: at most {_LONGEST} printable characters can be given")
        if not value:
            return []
        if self.kind == "check":
            return [self.option]
        if self.option:
            return [f"{self.option}={word}" for word in (value.split() if self.many else [value])]
        if value.startswith("-"):
            raise BadInput(f"{self.label}: {value!r} would be an option; give a name or an address")
        return [value]


@dataclass(frozen=True)
class Form:
    """A command.

    Attributes:
        about: what it does.
        needs: names of fields, of which one has to be filled.
        estimates: whether `--dry-run` says how long it takes.
    """

    about: str
    fields: Sequence[FormField]
    needs: Sequence[str]
    estimates: bool = False


FORMS: Mapping[str, Form] = {
    "run": Form(
        "Measure the cells of a study and rank its stacks.",
        (
            FormField("study", "Study", hint="remobjects"),
            FormField("select", "Only matching cells", "--select", hint="message=soap", many=True),
            FormField("set", "Parameters of the study", "--set", hint="persons=10", many=True),
            FormField("link", "Link", "--link", hint="lan100"),
            FormField("forks", "Forks", "--forks", "number"),
            FormField("quick", "Quick run", "--quick", "check"),
        ),
        ("study",),
        estimates=True,
    ),
    "load": Form(
        "Put a server under load: rate, latency and errors.",
        (
            FormField("server", "Server", hint="http://127.0.0.1:8080/hello"),
            FormField("start", "Or a command that starts it", "--start", hint="python3 server.py {port}"),
            FormField("path", "Path", "--path", hint="/hello"),
            FormField("clients", "Clients", "--clients", "number"),
            FormField("seconds", "Seconds", "--seconds", "number"),
            FormField("rate", "Arrivals per second", "--rate", "number"),
        ),
        ("server", "start"),
    ),
    "compare": Form(
        "Compare two stacks or two servers.",
        (
            FormField("a", "First", hint="native/soap+tcp"),
            FormField("b", "Second", hint="native/json+tcp"),
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
