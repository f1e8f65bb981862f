"""The names of a Cap'n Proto file, and what each means."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

from lark import Token, Tree

from callbench.catalog.imports import grammar
from callbench.catalog.imports.reference_reader import ReferenceReader, beside
from callbench.catalog.imports.source import Options, Source
from callbench.model.errors import BadInput

MOST_FILES = 100
DEEPEST = 100
_BUILTIN = "builtin"


@dataclass(eq=False)
class Scope:
    """A file, a struct, an interface or an enumeration, with what is defined in it.

    Attributes:
        tree: as it is written; of a file, all of it.
        file: the name of the file.
        name: full, for people: `Order.Line`.
        aliases: what `using` gives names to.
    """

    tree: "Tree[Token]"
    file: str
    name: str = ""
    parent: Optional["Scope"] = None
    inner: dict[str, "Scope"] = field(default_factory=dict)
    aliases: dict[str, "Tree[Token]"] = field(default_factory=dict)
    path: Path | None = None

    @property
    def root(self) -> "Scope":
        """The file."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def everything(self) -> Iterator["Scope"]:
        """This scope and all that are in it, in the order of the file."""
        waiting = [self]
        while waiting:
            scope = waiting.pop(0)
            yield scope
            waiting[:0] = scope.inner.values()

    @property
    def builtin(self) -> bool:
        """Whether the language defines it: `Text`, `List`."""
        return self.tree.data == _BUILTIN

    def at(self, tree: "Tree[Token]") -> str:
        """Where a tree stands, for errors and losses."""
        return f"{self.file}, line {getattr(tree.meta, 'line', 1)}"


class Scopes:
    """The scopes of all files of an import."""

    def __init__(self, reach: ReferenceReader, options: Options, builtins: Iterable[str]) -> None:
        """Nothing is read yet. `builtins` are the types of the language."""
        self._reach = reach
        self._options = options
        self._builtins = {name: Scope(Tree(_BUILTIN, []), "", name) for name in builtins}
        self._files: dict[Path, Scope] = {}

    def file(self, name: str, path: Path | None, text: str) -> Scope:
        """The scope of a file.

        Raises:
            BadInput: it does not follow the grammar, or defines something twice.
        """
        scope = Scope(grammar.tree("capnp", name, text), name, path=path)
        if path is not None:
            self._files[path.resolve()] = scope
        self._collect(scope, scope.tree)
        return scope

    def _collect(self, scope: Scope, tree: "Tree[Token]") -> None:
        for declared in tree.children:
            if not isinstance(declared, Tree):
                continue
            if declared.data in {"struct", "enum", "interface"}:
                name = str(declared.children[0])
                if name in scope.inner or name in scope.aliases:
                    raise BadInput(f"{scope.at(declared)}: {name} is defined twice; rename one of them")
                inner = Scope(declared, scope.file, f"{scope.name}.{name}".lstrip("."), scope)
                scope.inner[name] = inner
                self._collect(inner, declared)
            elif declared.data in {"union", "unnamed", "group"}:
                self._collect(scope, declared)
            elif declared.data == "using":
                target = declared.children[1]
                alias: object = declared.children[0]
                names = [str(child) for child in target.children if isinstance(child, Token)]  # type: ignore[union-attr]
                if isinstance(target, Tree) and (alias is not None or names):
                    scope.aliases[str(alias) if alias is not None else names[-1]] = target

    def found(self, target: "Tree[Token]", scope: Scope, depth: int = 0) -> Scope:
        """What a target names, seen from a scope.

        Raises:
            BadInput: it names nothing, or itself.
        """
        names = [str(child) for child in target.children if isinstance(child, Token)]
        imports = [child for child in target.children if isinstance(child, Tree)]
        if depth > DEEPEST:
            raise BadInput(f"{scope.at(target)}: {'.'.join(names)} refers to itself; mend it")
        if imports:
            at: Scope | None = self._imported(scope, imports[0])
        else:
            at = self._outwards(names.pop(0), target, scope, depth)
        for name in names:
            at = self._in(at, name, depth) if at is not None else None
        if at is None:
            parts = ".".join(str(child) for child in target.children if isinstance(child, Token))
            raise BadInput(f"{scope.at(target)}: there is no {parts!r}; define or import it")
        return at

    def _outwards(self, name: str, target: "Tree[Token]", scope: Scope, depth: int) -> Scope | None:
        around: Scope | None = scope
        while around is not None:
            found = self._in(around, name, depth, target)
            if found is not None:
                return found
            around = around.parent
        return self._builtins.get(name)

    def _in(self, scope: Scope, name: str, depth: int, but: "Tree[Token] | None" = None) -> Scope | None:
        if name in scope.inner:
            return scope.inner[name]
        alias = scope.aliases.get(name)
        return self.found(alias, scope, depth + 1) if alias is not None and alias is not but else None

    def _imported(self, scope: Scope, tree: "Tree[Token]") -> Scope:
        name = str(tree.children[0])[1:-1]
        root = scope.root
        absolute = name.startswith("/")
        folders = [*([root.path.parent] if root.path is not None and not absolute else []), *self._options.files]
        if not folders:
            raise BadInput(f"{scope.at(tree)}: {name!r:.200} is looked for in the folders of --allow-files; name one")
        true = self._reach.file(beside(folders, name.lstrip("/")), scope.at(tree))
        if true not in self._files:
            if len(self._files) > MOST_FILES:
                raise BadInput(f"{scope.at(tree)}: more than {MOST_FILES} files are imported; put them into one")
            self.file(name, true, Source(name, true).text)
        return self._files[true]
