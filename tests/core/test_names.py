"""Names say one thing: a public class has a name of its own, and no local hides what its module defines or imports.

What says little, a variable called `one` and a dictionary of anything, only becomes less.
"""

import ast
from collections import defaultdict
from collections.abc import Iterable
from functools import cache

import pytest

from callbench.model.installation import home

SOURCE = home() / "src/callbench"
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
# From so many arguments on, their places say nothing of what they are.
BY_PLACE = 7
# How many are left. Who names or types one lowers the number; none is added.
CALLED_ONE = 25
UNTYPED = 124


@cache
def parsed() -> tuple[tuple[str, ast.Module], ...]:
    """Every file of the core, by its path."""
    files = sorted(SOURCE.rglob("*.py"))
    return tuple((str(file.relative_to(SOURCE)), ast.parse(file.read_text())) for file in files)


def twice(files: Iterable[tuple[str, ast.Module]]) -> dict[str, list[str]]:
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


def imported(tree: ast.Module) -> set[str]:
    """The names that a module imports for all of its functions, those for types alone among them."""
    statements = [inner for node in tree.body for inner in (node.body if isinstance(node, ast.If) else [node])]
    imports = [node for node in statements if isinstance(node, ast.Import | ast.ImportFrom)]
    return {alias.asname or alias.name.partition(".")[0] for node in imports for alias in node.names}


def hidden(tree: ast.Module) -> list[tuple[int, str]]:
    """The locals that hide a function, a class or an import of their module, with their lines."""
    own = {node.name for node in tree.body if isinstance(node, DEFINITIONS)} | imported(tree)
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
@pytest.mark.parametrize(
    "known", ["def size(): pass", "import size", "from a import b as size", "if TYPE_CHECKING:\n    from a import size"]
)
def test_each_way_of_hiding_is_seen(known: str, local: str) -> None:
    assert [name for _, name in hidden(ast.parse(f"{known}\n{local}"))] == ["size"]


def test_a_method_hides_nothing() -> None:
    assert hidden(ast.parse("def size(): pass\nclass C:\n    def size(self): pass")) == []


def test_a_name_of_two_files_is_seen() -> None:
    assert twice([("a", ast.parse("class Size: pass")), ("b", ast.parse("class Size: pass"))]) == {"Size": ["a", "b"]}


def test_a_public_class_has_a_name_of_its_own() -> None:
    assert twice(parsed()) == {}


def test_no_local_hides_what_its_module_defines_or_imports() -> None:
    assert [(file, *each) for file, tree in parsed() for each in hidden(tree)] == []


def called(name: str, tree: ast.Module) -> int:
    """How many times a file binds that name."""
    return sum(bound(node) == name for node in ast.walk(tree))


def test_each_binding_of_a_name_is_counted() -> None:
    code = "for one in a: b = [one for one in c]\ndef f(one): return lambda one: (one := 1)"
    assert called("one", ast.parse(code)) == 5


def test_no_more_are_called_one() -> None:
    """`one` says nothing of what it holds; it stays where an `other` stands beside it."""
    assert sum(called("one", tree) for _, tree in parsed()) <= CALLED_ONE


def test_no_more_dictionaries_hold_anything() -> None:
    """A line of a journal, a request, a result have types: what a `dict[str, Any]` holds, no tool can check."""
    texts = [file.read_text() for file in SOURCE.rglob("*.py")]
    assert sum(text.count("dict[str, Any]") + text.count("Mapping[str, Any]") for text in texts) <= UNTYPED


def by_place(tree: ast.Module) -> list[tuple[int, int]]:
    """The calls of many arguments that are known by their places alone: line, and how many."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return sorted((call.lineno, len(call.args)) for call in calls if len(call.args) >= BY_PLACE)


def test_arguments_known_by_place_are_counted() -> None:
    code = "f(1, 2, 3, 4, 5, 6, 7)\ng(1, 2, 3, 4, 5, 6, h=7)\nk(*a, 2, 3, 4, 5, 6, *b)"
    assert by_place(ast.parse(code)) == [(1, 7), (3, 7)]


def test_many_arguments_are_named() -> None:
    """Two that change places are seen by nobody; name them, or put together what belongs together."""
    assert [(file, *each) for file, tree in parsed() for each in by_place(tree)] == []
