"""Published values that belong to a study: tables with columns, and claims."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from callbench.model.errors import BadInput
from callbench.model.suggestions import allowed_names


@dataclass(frozen=True)
class Published:
    """A published file.

    Attributes:
        name: the file, for messages.
        title: of the publication.
        unit: of its values.
        machine: where they were measured.
        claims: text by id.
        open_questions: texts, in the file's order.
        tree: the whole content of the file.
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
        """Create it from what tomllib returned."""
        claims = {claim["id"]: str(claim.get("text", "")) for claim in tree.get("claims", []) if "id" in claim}
        texts = {key: str(tree.get(key, "")) for key in ("title", "unit", "machine")}
        questions = [str(question.get("text", "")) for question in tree.get("open_questions", [])]
        return cls(name=name, claims=claims, open_questions=questions, tree=tree, **texts)

    def check(self, path: str, row: str | None, column: str | None) -> None:
        """Check that a published table has a row and a column.

        Raises:
            BadInput: it does not.
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
            raise BadInput(f'{self.name}: {path} has no column "{column}": {allowed_names(column, columns)}')

    def _step(self, node: object, step: str, path: str) -> Any:  # noqa: ANN401 - a TOML tree
        """Return the node below a key."""
        if not isinstance(node, dict) or step not in node:
            names = [key for key in node if key != "columns"] if isinstance(node, dict) else []
            raise BadInput(f'{self.name}: there is no "{step}" on the way to {path}: {allowed_names(step, names)}')
        return node[step]

    def figure(self, path: str, row: str, column: str) -> float | None:
        """Return one value in the file's unit; None if there is none.

        Args: as in `printed`.
        """
        printed = self.printed(path, row, column)
        return float(printed) if isinstance(printed, int | float) else None

    def printed(self, path: str, row: str, column: str) -> int | float | str | None:
        """Return what the file has: a value, a word instead of it (`crashed`), or None.

        Args:
            path: the table's dotted name, `local.Sum`.
            row: the row's key, with dots if the table contains tables.
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
        value = node[columns.index(column)]
        return value if isinstance(value, int | float | str) else None

    def decimals(self, path: str) -> int:
        """Return the number of printed decimals of a table, at most two. TOML does not keep trailing zeros.

        Args:
            path: the table's dotted name, `local.Sum`.
        """
        node: Any = self.tree
        for step in path.split("."):
            node = node.get(step, {}) if isinstance(node, dict) else {}
        return min(2, max((len(str(number).partition(".")[2]) for number in _fractions(node)), default=0))

    def beside(self, path: str, key: str) -> float | None:
        """Return the value of a key in a published table, in either orientation of the table.

        Args:
            path: the table's dotted name, followed by its column or row: `throughput.byte`.
            key: a row if the path ends in a column, a column if it ends in a row.
        """
        table, _, name = path.rpartition(".")
        value = self.figure(table, key, name)
        return self.figure(table, name, key) if value is None else value

    def check_beside(self, path: str, keys: Iterable[str]) -> None:
        """Check that `beside` finds a value for each key.

        Raises:
            BadInput: it does not.
        """
        for key in keys:
            if self.beside(path, key) is None:
                raise BadInput(f'{self.name}: {path} has no value of "{key}": give TABLE.COLUMN or TABLE.ROW')


def _fractions(node: object) -> Iterator[float]:
    """Yield the values below that are not integers."""
    if isinstance(node, dict | list):
        for child in node.values() if isinstance(node, dict) else node:
            yield from _fractions(child)
    elif isinstance(node, float) and not node.is_integer():
        yield node
