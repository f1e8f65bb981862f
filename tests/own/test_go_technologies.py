"""A Go technology is a folder and a line of the manifest: both programs find it, also one with its own library."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from everything_service import SERVICE

from callbench.adapter.generators.go import program
from callbench.adapter.generators.go.technologies import technologies
from callbench.catalog import catalogue
from callbench.model.errors import BadInput
from conftest import ROOT

ADAPTER = catalogue.load([ROOT / "adapters" / "go"]).adapter("go")
STACK = """package {name}

import (
	"callbench.org/adapters/go/kit"
{more})

// Made is a stack that never serves.
func Made() kit.Stack {{ return kit.Stack{{Name: "{stack}"{value}}} }}
"""
# A library of its own, which a module of its own brings: here it lies beside it.
TOOL = "package main\n\nfunc main() {}\n"
LIBRARY = 'package greeting\n\n// Text greets.\nconst Text = "hello of the library"\n'

pytestmark = [
    pytest.mark.go,
    pytest.mark.skipif(ADAPTER.why_not is not None, reason=str(ADAPTER.why_not)),
    pytest.mark.usefixtures("nothing_left"),
]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The Go adapter and its set-up, with two technologies more; one of them has a library, and a service's code."""
    shutil.copytree(ROOT / "adapters/go", tmp_path / "adapters/go", ignore=shutil.ignore_patterns("target"))
    (tmp_path / "setup").mkdir()
    shutil.copy(ROOT / "setup/go", tmp_path / "setup/go")
    plain = tmp_path / "adapters/go/plainly"
    plain.mkdir()
    (plain / "made.go").write_text(STACK.format(name="plainly", stack="json+plainly", more="", value=""))
    (plain / "technology.properties").write_text("stack.json+plainly = Made\nown = json+plainly\n")
    own = tmp_path / "adapters/go/greets"
    (own / "greeting").mkdir(parents=True)
    (own / "greeting/go.mod").write_text("module example.org/greeting\n\ngo 1.19\n")
    (own / "greeting/greeting.go").write_text(LIBRARY)
    (own / "greeting/tool").mkdir()
    (own / "greeting/tool/main.go").write_text(TOOL)
    (own / "go.mod").write_text(
        "module callbench.org/adapters/go/greets\n\ngo 1.20\n\nrequire (\n\tcallbench.org/adapters/go v0.0.0\n"
        "\texample.org/greeting v0.0.0\n)\n\nreplace callbench.org/adapters/go => ../\n\n"
        "replace example.org/greeting => ./greeting\n"
    )
    more = '\t"example.org/greeting"\n'
    text = STACK.format(name="greets", stack="text+greets", more=more, value=", Unavailable: greeting.Text")
    (own / "made.go").write_text(text)
    (own / "technology.properties").write_text("stack.text+greets = Made\nown = thrift+greets\n")
    return tmp_path


def test_the_program_has_the_stacks_of_every_folder(checkout: Path) -> None:
    subprocess.run([checkout / "setup/go"], check=True)
    hello = _hello(checkout / "adapters/go/target/callbench-go")
    assert set(hello["stacks"]) == {"json+nethttp", "nethttp", "json+plainly", "text+greets"}
    assert hello["unavailable"] == {"text+greets": "hello of the library"}


@pytest.fixture
def generator(monkeypatch: pytest.MonkeyPatch) -> None:
    """What writes the code of the technology `greets`: a module named after its folder."""
    made = ModuleType("greets")
    text = STACK.format(name="greets", stack="thrift+greets", more="", value="")
    vars(made).update(
        TOOLS=("example.org/greeting/tool",),
        source=lambda _schema, _package: text.replace("Made", "Stack"),
        write=lambda _schema, _package, tools, place: shutil.copy(tools / "tool", place / "made by the tool"),
    )
    name = f"{program.__package__}.greets"
    monkeypatch.setitem(sys.modules, name, made)


@pytest.mark.usefixtures("generator")
def test_the_program_of_a_service_has_them_too(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "home", lambda: checkout)
    (command,) = program.built(SERVICE, checkout)
    assert set(_hello(Path(command))["stacks"]) == {"json+nethttp", "json+plainly", "protobuf+grpc", "thrift+greets"}


def test_a_technology_that_nothing_generates_is_named(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "home", lambda: checkout)
    with pytest.raises(BadInput, match=r"greets/technology.properties: no function makes thrift\+greets"):
        program.built(SERVICE, checkout)


@pytest.mark.parametrize("line", ["stack.x", "owns = x", "= x"])
def test_a_line_that_is_none_is_named(checkout: Path, line: str) -> None:
    (checkout / "adapters/go/plainly/technology.properties").write_text(f"# a remark\n{line}\n")
    with pytest.raises(BadInput, match=r"plainly/technology.properties, line 2"):
        technologies(checkout / "adapters/go")


def test_every_stack_of_the_manifest_has_a_technology() -> None:
    known = technologies(ROOT / "adapters/go")
    named = {name for one in known for name in (*one.functions, *one.own)}
    assert {f"go/{name}" for name in named} == {stack.id for stack in ADAPTER.stacks}
    assert {f"go/{name}" for one in known for name in one.own} == {stack.id for stack in ADAPTER.stacks if stack.own}


def _hello(runner: Path) -> dict[str, Any]:
    ended = subprocess.run([runner], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    hello = json.loads(ended.stdout.splitlines()[0])
    assert isinstance(hello, dict)
    return hello
