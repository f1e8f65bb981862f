"""Help texts: complete, in short sentences and usual words, with examples that other tests know."""

import inspect
import re

import pytest
from test_sentences import MOST_WORDS, OLD_WORDS, sentences

from callbench.cli.help.command_table import SECTIONS
from command_tree import One, every

EVERY = every()
COMMANDS = [one for one in EVERY if not one.group]
DIALECT = re.compile(
    r"\b(beyond doubt|meanwhile|made again|told|what there is|floors?|tax|foretold|wish|unless (given|said)|goes on)\b",
    re.IGNORECASE,
)

# Left out, nothing of the kind is sent, expected, chosen or set.
WITHOUT_DEFAULT = {
    *("--start", "--path", "--header", "--body", "--body-file", "--body-hex", "--select", "--set", "--option"),
    *("--expect-body-file", "--expect-body-hex", "--expect-json", "--expect-match", "--expect-schema-file"),
}


def texts(one: One) -> list[str]:
    """All that `--help` says of it but the examples."""
    help_text = inspect.cleandoc(one.command.help or "")
    epilog = one.command.epilog if one.group and one.path == "callbench" else ""
    return [*help_text.split("\n\n"), epilog or "", *(parameter.help or "" for parameter in one.parameters)]


def of(path: str) -> One:
    return next(one for one in EVERY if one.path == path)


@pytest.mark.parametrize("one", EVERY, ids=lambda one: one.path)
def test_everything_has_a_help_text(one: One) -> None:
    assert one.command.help
    for parameter in one.parameters:
        assert parameter.help, parameter.opts
        assert parameter.help[0].isupper(), parameter.help
        assert parameter.help.endswith("."), parameter.help


@pytest.mark.parametrize("one", EVERY, ids=lambda one: one.path)
def test_sentences_are_short_and_usual(one: One) -> None:
    for text in texts(one):
        long = [sentence for words, sentence in sentences(text) if words > MOST_WORDS]
        assert not long, f"more than {MOST_WORDS} words"
        assert not OLD_WORDS.findall(text)
        assert not DIALECT.search(text), text


@pytest.mark.parametrize("one", COMMANDS, ids=lambda one: one.path)
def test_a_default_is_named(one: One) -> None:
    """Where Typer has no default to print, because the command finds it out later, the text says it."""
    for parameter in one.parameters:
        takes_a_value = parameter.param_type_name == "option" and not parameter.is_flag
        if takes_a_value and parameter.default is None and not WITHOUT_DEFAULT & set(parameter.opts):
            assert "Default:" in parameter.help, parameter.opts


@pytest.mark.parametrize("one", COMMANDS, ids=lambda one: one.path)
def test_each_command_ends_with_examples_of_itself(one: One) -> None:
    lines = [line.strip() for line in one.command.epilog.splitlines() if line.startswith("  ")]
    assert 1 <= len(lines) <= 3
    assert all(line.startswith(f"{one.path} ") or line == one.path for line in lines)
    assert all(line in one.command.get_help(one.context) for line in lines), "they are not wrapped"


def test_the_list_of_commands_says_what_each_says_itself() -> None:
    for section in SECTIONS:
        for entry in section.entries:
            assert of(f"callbench {entry.name}").command.help.partition("\n")[0] == entry.summary


def test_commands_are_listed_by_purpose() -> None:
    shown = of("callbench").command.get_help(of("callbench").context)
    titles = [section.title for section in SECTIONS]
    assert titles == ["Bring your own service", "Decide", "Look at results", "Test a server", "Explore"]
    assert [line.rstrip(":") for line in shown.splitlines() if line.rstrip(":") in titles] == titles
    assert all(entry.summary in shown for section in SECTIONS for entry in section.entries)


def test_what_a_command_shares_with_others_stands_below_its_own() -> None:
    shown = of("callbench load").command.get_help(of("callbench load").context)
    own, _, shared = shown.partition("\nServer and request:\n")
    assert "--clients" in own
    assert "--json" in own
    assert "--expect-body" in shared
    assert "--expect-body" not in own
