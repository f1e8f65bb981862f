"""The file in which `callbench serve --status FILE` says what is on, where, and how often it was called."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from callbench.model.errors import BadInput, CallbenchError
from callbench.runner.serve.offers import OfferedServer
from callbench.store.progress import ProgressFile
from callbench.store.served_state import ServedEndpoint, ServedPart, ServedProcess


class StatusFile:
    """Keeps the file, until the server ends."""

    def __init__(self, file: Path) -> None:
        """Keep it in a folder that is there.

        Raises:
            BadInput: the folder is not there.
        """
        if not file.parent.is_dir():
            raise BadInput(f"--status {file}: there is no folder {file.parent}: make it, or name another file")
        self._path, self._file = file, ProgressFile(file.parent, name=file.name)

    def offer(self, serving: Sequence[OfferedServer]) -> None:
        """Write what is served now, if a second has passed.

        Raises:
            CallbenchError: the folder has gone. Whoever reads the file to find this server would not find it any more.
        """
        if not self._path.parent.is_dir():
            raise CallbenchError(f"the folder of --status {self._path} has gone, so this server ends")
        self._file.offer(lambda: _state(serving))

    def close(self) -> None:
        """Remove it."""
        self._file.close()


def _state(serving: Sequence[OfferedServer]) -> Mapping[str, object]:
    for server in serving:
        server.count()
    return {"servers": [_server(server).model_dump() for server in serving]}


def _server(server: OfferedServer) -> ServedProcess:
    return ServedProcess(
        name=server.name, calls=server.answered.calls, parts=[_part(server, word) for word in server.words]
    )


def _part(server: OfferedServer, word: str) -> ServedPart:
    """Return a channel or a stack. The name of a stack with a channel is MESSAGE+CHANNEL."""
    stacks = sorted(stack for stack in server.endpoints if word in {stack, stack.partition("+")[2]})
    return ServedPart(
        name=word,
        endpoints=[
            ServedEndpoint(
                stack=stack,
                endpoint=server.endpoints[stack],
                calls=server.answered.of(stack),
                example=server.examples.get(stack),
            )
            for stack in stacks
        ],
    )
