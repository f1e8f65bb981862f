"""The languages that a person can name: those of stacks and of formats, and others that services are written in."""

from collections.abc import Iterable, Sequence

from callbench.catalog.formats import ALSO, OWN, plain
from callbench.model.errors import BadInput
from callbench.model.suggestions import allowed_names

OTHERS = frozenset({
    "ada", "c", "clojure", "cobol", "crystal", "d", "dart", "elixir", "erlang", "f#", "fortran", "groovy", "haskell",
    "julia", "lisp", "lua", "matlab", "nim", "objective-c", "ocaml", "perl", "php", "prolog", "r", "racket", "ruby",
    "scheme", "smalltalk", "swift", "tcl", "vala", "visual basic", "zig",
})  # fmt: skip
"""Languages without stacks here. What is common, such as JSON, has libraries in them."""
_NAMED = 30


def check_languages(named: Sequence[str], known: Iterable[str]) -> None:
    """Check that languages exist.

    Args:
        named: what a person wrote.
        known: the languages of the stacks that there are, and those that their messages have a library in.

    Raises:
        BadInput: there is none of such a name; the sentence names a similar one.
    """
    here = {plain(language) for language in known if language} | {OWN}
    every = [*sorted(here), *sorted(OTHERS | ALSO.keys())]
    for language in named:
        if plain(language) not in here | OTHERS:
            raise BadInput(
                f'--language: there is no language "{language}": {allowed_names(plain(language), every, _NAMED)}'
            )
