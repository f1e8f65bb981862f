"""The commands: their names, what each does in a line, examples, and in which order people see them.

Nothing is imported for this but the standard library, so that `--help` of the program is shown at once. A command's
signature and its full help are in `commands/NAME.py`, under the name `command`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from keyword import iskeyword


@dataclass(frozen=True)
class CommandEntry:
    """A command.

    Attributes:
        summary: the first line of its help.
        examples: whole commands, each of which a test runs, plans or covers.
    """

    name: str
    summary: str
    examples: tuple[str, ...]

    @property
    def module(self) -> str:
        """The module that has it."""
        return f"callbench.cli.commands.{self.name}{'_' if iskeyword(self.name) else ''}"


@dataclass(frozen=True)
class CommandSection:
    """Commands that serve one purpose."""

    title: str
    entries: tuple[CommandEntry, ...]


SECTIONS = (
    CommandSection(
        "Bring your own service",
        (
            CommandEntry(
                "import",
                "Import the schema and the payloads of a service of your own.",
                ("callbench import orders.proto", "callbench import openapi.yaml --out orders"),
            ),
        ),
    ),
    CommandSection(
        "Decide",
        (
            CommandEntry(
                "run",
                "Measure the cells of a study and rank its stacks.",
                (
                    "callbench run remobjects --quick",
                    "callbench run remobjects --quick --select message=soap --dry-run",
                ),
            ),
            CommandEntry(
                "advise",
                "Advise which stack to use in your situation, and why.",
                (
                    "callbench advise RUN --link 25ms,20mbit",
                    "callbench advise RUN --situation situation.toml",
                    "callbench advise order.json --link 25ms,20mbit",
                ),
            ),
            CommandEntry(
                "compare",
                "Compare two stacks, two builds or two stored runs.",
                (
                    "callbench compare native/soap+tcp native/json+tcp",
                    "callbench compare runs/monday runs/tuesday",
                ),
            ),
        ),
    ),
    CommandSection(
        "Look at results",
        (
            CommandEntry(
                "show",
                "Print a stored result.",
                ("callbench show RUN", "callbench show RUN --json"),
            ),
            CommandEntry(
                "report",
                "Write the report of a stored result to a file.",
                ("callbench report RUN", "callbench report RUN --format md"),
            ),
            CommandEntry(
                "ui",
                "Open the page: start commands, watch them, and read records.",
                ("callbench ui", "callbench ui runs --port 8090"),
            ),
            CommandEntry(
                "history",
                "Find what changed in a folder of records, and when.",
                ("callbench history runs", "callbench history runs --metric p99_us"),
            ),
            CommandEntry(
                "publish",
                "Write the records of a folder as static files for any web host.",
                ("callbench publish runs --out site",),
            ),
            CommandEntry(
                "query",
                "Query the tables of a stored result with SQL.",
                ('callbench query RUN "SELECT * FROM trials"',),
            ),
            CommandEntry(
                "exchange",
                "Show a call packet by packet.",
                ("callbench exchange RUN STACK",),
            ),
        ),
    ),
    CommandSection(
        "Test a server",
        (
            CommandEntry(
                "load",
                "Put a server under load: rate, latency and errors.",
                (
                    "callbench load http://127.0.0.1:8080/hello --clients 200 --seconds 30 --pid 4711",
                    "callbench load --start 'python3 server.py {port}' --path /hello",
                ),
            ),
            CommandEntry(
                "capacity",
                "Find how many clients a server holds, and what limits it.",
                (
                    "callbench capacity --start 'python3 server.py {port}' --path /hello --need 20",
                    "callbench capacity http://127.0.0.1:8080/hello --pid 4711 --need 200",
                ),
            ),
            CommandEntry(
                "soak",
                "Load a server for a long time and watch its health.",
                (
                    "callbench soak native/json+http-keepalive --seconds 3600 --clients 1,10,50,100 --rest 60",
                    "callbench soak http://127.0.0.1:8080/hello --pid 4711 --expect-body 'Hello World' --timeout 2",
                ),
            ),
            CommandEntry(
                "overload",
                "Send more calls than a server can answer, and watch it recover.",
                ("callbench overload native/json+http-keepalive",),
            ),
            CommandEntry(
                "torture",
                "Open misbehaving connections, and watch what normal calls meet.",
                (
                    "callbench torture native/json+http-keepalive",
                    "callbench torture --start 'python3 server.py {port}' --path /hello",
                ),
            ),
            CommandEntry(
                "peer",
                "Check the load driver against Apache JMeter.",
                ("callbench peer http://127.0.0.1:8080/hello", "callbench peer datasnap --quick"),
            ),
            CommandEntry(
                "verify",
                "Check that stacks fulfil the contract.",
                (
                    "callbench verify native/soap+tcp",
                    "callbench verify 'python3 server.py {port}' --path /hello --expect-body 'Hello World'",
                ),
            ),
        ),
    ),
    CommandSection(
        "Explore",
        (
            CommandEntry(
                "list",
                "List stacks, calls, studies, links or payloads.",
                ("callbench list stacks", "callbench list studies"),
            ),
            CommandEntry(
                "doctor",
                "Report what this machine can run, and how to install the rest.",
                ("callbench doctor", "callbench doctor --json"),
            ),
            CommandEntry(
                "setup",
                "Set up adapters that need a toolchain.",
                ("callbench setup", "callbench setup java node"),
            ),
            CommandEntry(
                "cache",
                "Show or clear what was compiled for services of your own.",
                ("callbench cache", "callbench cache --clear"),
            ),
            CommandEntry(
                "link",
                "Test network links.",
                ("callbench link try lan100",),
            ),
            CommandEntry(
                "hosts",
                "Use other machines as hosts.",
                ("callbench hosts init 192.168.1.10 alpha beta", "callbench hosts start", "callbench hosts check"),
            ),
            CommandEntry(
                "agent",
                "Let another machine, the core, use this one as a host.",
                ("callbench agent alpha",),
            ),
            CommandEntry(
                "serve",
                "Serve stacks for a client of your own.",
                ("callbench serve --all", "callbench serve rust/hyper java/jersey --port 8110"),
            ),
            CommandEntry(
                "manual",
                "Print the manual page.",
                ("callbench manual | man -l -",),
            ),
        ),
    ),
)


def examples(name: str) -> tuple[str, ...]:
    """The examples of a command."""
    return next(entry.examples for section in SECTIONS for entry in section.entries if entry.name == name)


def epilog(of: Sequence[str]) -> str:
    """The end of a command's help: examples, each on a line of its own.

    The backspace that begins it tells Typer to keep the lines as they are.
    """
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in of)])
