"""Where the requests of a command line come from: bodies, a log, or a file of requests."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from callbench.model.errors import BadInput

# What each says already, so that another option cannot say it too.
_EXCLUDED = {
    "--requests": ("--log", "--body", "--path", "--method", "--body-file", "--body-hex"),
    "--log": ("--path", "--method", "--body-file", "--body-hex"),
    "--body": ("--body-file", "--body-hex"),
}


@dataclass(frozen=True)
class Sources:
    """The options, as they were typed.

    Attributes:
        bodies: `--body`: texts, files and folders.
        log: `--log`.
        requests: `--requests`.
    """

    bodies: Sequence[str]
    log: Path | None
    requests: Path | None

    @property
    def none(self) -> bool:
        """Whether there is none of them."""
        return not self.bodies and self.log is None and self.requests is None

    def refuse(self, others: Collection[str]) -> None:
        """Refuses options that say the same.

        Args:
            others: further options that were given.

        Raises:
            BadInput: two exclude each other.
        """
        ours = {"--requests": self.requests, "--log": self.log, "--body": self.bodies}
        given = {*others, *(name for name, value in ours.items() if value)}
        for option, excluded in _EXCLUDED.items():
            wrong = next((other for other in excluded if option in given and other in given), None)
            if wrong is not None:
                raise BadInput(f"{option} and {wrong} exclude each other: give one of them")

    def sent(self, method: str | None, expected: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
        """What is sent, as members of `Request`, and what of a log is not in it, in sentences.

        Args:
            method: of one request with several bodies.
            expected: headers, and what every answer must be.

        Raises:
            BadInput: a file is wrong.
        """
        from callbench.catalog.requests import access_log, bodies, defaults, requests_file
        from callbench.model.script import Script, Session, Step

        if self.requests is not None:
            return {"script": defaults.with_defaults(requests_file.read(self.requests), expected).option()}, ()
        given = bodies.found(self.bodies, "--body")
        if self.log is not None:
            own = not any(name.startswith("expect_") for name in expected)
            logged = access_log.read(self.log, given, expects=own)
            return {"script": defaults.with_defaults(logged.script, expected).option()}, logged.notes
        text, file = bodies.text_of(given), bodies.file_of(given)
        if text is not None or file is not None:
            return {"method": method, "body": text, "body_file": file, **expected}, ()
        session = Session(name="request", steps=(Step(method=method, bodies=tuple(given), **expected),))
        return {"script": Script(sessions=(session,)).option()}, ()
