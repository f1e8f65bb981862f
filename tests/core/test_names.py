"""Names say one thing: a public class has a name of its own, and no local hides a definition of its module."""

import ast
from collections import defaultdict
from collections.abc import Iterator

import pytest

from callbench.model.installation import home

SOURCE = home() / "src/callbench"
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def parsed() -> Iterator[tuple[str, ast.Module]]:
    """Every file of the core, by its path."""
    for file in sorted(SOURCE.rglob("*.py")):
        yield str(file.relative_to(SOURCE)), ast.parse(file.read_text())


def twice(files: Iterator[tuple[str, ast.Module]]) -> dict[str, list[str]]:
    """The public classes that several files define, with the files."""
    places: dict[str, list[str]] = defaultdict(list)
    for file, tree in files:
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(file)
    return {name: found for name, found in places.items() if len(found) > 1}


def bound(node: ast.AST) -> str | None:
    """The name that one node binds, if it binds any."""
    match node:
        case ast.Name(ctx=ast.Store()):
            return node.id
        case ast.arg():
            return node.arg
        case ast.ExceptHandler() | ast.MatchAs() | ast.MatchStar() | ast.FunctionDef() | ast.ClassDef():
            return node.name
    return None


def hidden(tree: ast.Module) -> list[tuple[int, str]]:
    """The locals that hide a function or class of their module, with their lines."""
    own = {node.name for node in tree.body if isinstance(node, DEFINITIONS)}
    nodes = list(ast.walk(tree))
    # A method is reached by its object, so it hides nothing.
    members = {id(member) for node in nodes if isinstance(node, ast.ClassDef) for member in node.body}
    functions = [node for node in nodes if isinstance(node, FUNCTIONS)]
    shared = {name for node in nodes if isinstance(node, ast.Global) for name in node.names}
    inside = {id(node): node for function in functions for node in ast.walk(function) if node is not function}
    found = {(getattr(node, "lineno", 0), bound(node)) for each, node in inside.items() if each not in members}
    return sorted((line, name) for line, name in found if name in own - shared and name is not None)


@pytest.mark.parametrize(
    "local",
    [
        "def f(size): return size",
        "def f(): size = 1",
        "def f(): return [size for size in range(3)]",
        "f = lambda size: size",
        "def f():\n    def size(): pass",
        "class C:\n    def size(self, size): pass",
    ],
)
def test_each_way_of_hiding_is_seen(local: str) -> None:
    tree = ast.parse(f"def size(): pass\n{local}")
    assert [name for _, name in hidden(tree)] == ["size"]


def test_a_method_hides_nothing() -> None:
    assert hidden(ast.parse("def size(): pass\nclass C:\n    def size(self): pass")) == []


def test_a_name_of_two_files_is_seen() -> None:
    assert twice(iter([("a", ast.parse("class Size: pass")), ("b", ast.parse("class Size: pass"))])) == {
        "Size": ["a", "b"]
    }


def test_a_public_class_has_a_name_of_its_own() -> None:
    assert twice(parsed()) == {}


def test_no_local_hides_a_definition_of_its_module() -> None:
    assert [(file, *each) for file, tree in parsed() for each in hidden(tree)] == []
