"""A grammar for lark, and its errors as sentences."""

import functools
from importlib.resources import files

from lark import Lark, ParseTree
from lark.exceptions import LarkError, UnexpectedInput

from callbench.model.errors import BadInput


@functools.lru_cache
def _parser(package: str) -> Lark:
    grammar = (files(f"callbench.catalog.imports.{package}") / "grammar.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", propagate_positions=True, maybe_placeholders=True)


def tree(package: str, name: str, text: str) -> ParseTree:
    """The tree of a text.

    Args:
        package: the folder of this package that has `grammar.lark`.
        name: of the document, for errors.
        text: the document.

    Raises:
        BadInput: the text does not follow the grammar. The sentence names the line and the column.
    """
    try:
        return _parser(package).parse(text)
    except UnexpectedInput as error:
        near = " ".join(error.get_context(text, 12).splitlines()[0].split()) if error.pos_in_stream is not None else ""
        where = f"{name}, line {error.line}, column {error.column}" if error.line > 0 else f"{name}, at its end"
        raise BadInput(f"{where}: this is not understood: {near!r}; mend it") from None
    except (LarkError, RecursionError) as error:
        raise BadInput(f"{name}: it cannot be parsed ({type(error).__name__}); mend it") from None
