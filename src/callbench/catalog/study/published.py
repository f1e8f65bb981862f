"""Figures that others published, kept beside a study: tables with columns, and claims."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from callbench.catalog.study.near import allowed
from callbench.model.errors import BadInput


@dataclass(frozen=True)
class Published:
    """A published file.

    Attributes:
        name: the file, for sentences.
        title: what was published.
        unit: of its figures.
        machine: what they were measured on.
        claims: text by id.
        open_questions: texts, in the file's order.
        tree: all that the file holds.
    """

    name: str
    title: str = ""
    unit: str = ""
    machine: str = ""
    claims: Mapping[str, str] = field(default_factory=dict)
    open_questions: Sequence[str] = ()
    tree: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, name: str, tree: Mapping[str, Any]) -> "Published":
        """Take what tomllib read."""
        claims = {claim["id"]: str(claim.get("text", "")) for claim in tree.get("claims", []) if "id" in claim}
        texts = {key: str(tree.get(key, "")) for key in ("title", "unit", "machine")}
        asked = [str(one.get("text", "")) for one in tree.get("open_questions", [])]
        return cls(name=name, claims=claims, open_questions=asked, tree=tree, **texts)

    def check(self, path: str, row: str | None, column: str | None) -> None:
        """See that a row and a column of a published table are there.

        Raises:
            BadInput: they are not.
        """
        node: Any = self.tree
        for step in path.split("."):
            node = self._step(node, step, path)
        columns = node.get("columns", [])
        if row is not None:
            for step in row.split("."):
                columns = node.get("columns", columns)
                node = self._step(node, step, f"{path}.{row}")
        if column is not None and columns and column not in columns:
            raise BadInput(f'{self.name}: {path} has no column "{column}": {allowed(column, columns)}')

    def _step(self, node: object, step: str, path: str) -> Any:  # noqa: ANN401 - a TOML tree
        """Go one key down."""
        if not isinstance(node, dict) or step not in node:
            names = [key for key in node if key != "columns"] if isinstance(node, dict) else []
            raise BadInput(f'{self.name}: there is no "{step}" on the way to {path}: {allowed(step, names)}')
        return node[step]

    def figure(self, path: str, row: str, column: str) -> float | None:
        """Look one figure up, in the file's unit; None where the file has none.

        Args: as `printed`.
        """
        found = self.printed(path, row, column)
        return float(found) if isinstance(found, int | float) else None

    def printed(self, path: str, row: str, column: str) -> int | float | str | None:
        """Look up what the file has: a figure, a word in its place (`crashed`), or None.

        Args:
            path: the table's dotted name, `local.Sum`.
            row: the row's key, with dots where the table holds tables.
            column: one of the table's `columns`.
        """
        node: Any = self.tree
        columns: list[str] = []
        for step in (*path.split("."), *row.split(".")):
            if not isinstance(node, dict) or step not in node:
                return None
            columns = node.get("columns", columns)
            node = node[step]
        if not isinstance(node, list) or column not in columns or columns.index(column) >= len(node):
            return None
        found = node[columns.index(column)]
        return found if isinstance(found, int | float | str) else None

    def decimals(self, path: str) -> int:
        """Say to how many decimals a table's figures were printed, two at the most: TOML keeps no zeros at their ends.

        Args:
            path: the table's dotted name, `local.Sum`.
        """
        node: Any = self.tree
        for step in path.split("."):
            node = node.get(step, {}) if isinstance(node, dict) else {}
        return min(2, max((len(str(one).partition(".")[2]) for one in _fractions(node)), default=0))

    def beside(self, path: str, key: str) -> float | None:
        """Look up what a published table has of one thing, whichever way round the table stands.

        Args:
            path: the table's dotted name, and behind it its column or row: `throughput.byte`.
            key: of the thing, a row where the path ends in a column and a column where it ends in a row.
        """
        table, _, name = path.rpartition(".")
        found = self.figure(table, key, name)
        return self.figure(table, name, key) if found is None else found

    def check_beside(self, path: str, keys: Iterable[str]) -> None:
        """See that `beside` finds something for each key.

        Raises:
            BadInput: it does not.
        """
        for key in keys:
            if self.beside(path, key) is None:
                raise BadInput(f'{self.name}: {path} has no figure of "{key}": give TABLE.COLUMN or TABLE.ROW')


def _fractions(node: object) -> Iterator[float]:
    """Every figure below that is no whole number."""
    if isinstance(node, dict | list):
        for one in node.values() if isinstance(node, dict) else node:
            yield from _fractions(one)
    elif isinstance(node, float) and not node.is_integer():
        yield node
