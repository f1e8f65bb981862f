"""The calls of a service of one's own in FlatBuffers: with Google's package on the other side."""

from typing import Any

import pytest
from answering import answering, posted
from by_flatbuffers import inner, message, place, read, root
from compiling import compiled
from everything_service import SCHEMA, SERVICE
from flatbuffers import number_types

from callbench.adapter import oracle
from callbench.adapter.own_answers import PAIR
from callbench.adapter.session import Adapter
from callbench.catalog.manifest import Manifest

# The first test waits for the compiler, which takes long on a busy machine.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1500)]

KIND = "application/x-flatbuffers"
FIRST = 100
"""In both unions, the first call of a service of one's own."""


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> Manifest:
    """The native adapter with the calls."""
    return compiled(tmp_path_factory.mktemp("own"))


def _head(body: bytes) -> tuple[int, int, Any]:
    """The id, the kind in the union, and the table of a message."""
    whole = root(body)
    mark = whole.Get(number_types.Uint32Flags, whole.Pos + whole.Offset(place(0)))
    kind = whole.Get(number_types.Uint8Flags, whole.Pos + whole.Offset(place(1)))
    return mark, kind, inner(whole, 2)


def test_our_server_answers_the_package_of_google_with_each_pair(native: Manifest) -> None:
    """Read where it lies, field by field."""
    with Adapter(native, "the server") as server:
        url = server.serve("native/flatbuffers+http")
        for number, call in enumerate(SCHEMA.calls):
            for pair in SERVICE.payloads[call.name]:
                asked = message(7, FIRST + number, call.request, pair.request)
                mark, kind, holder = _head(posted(url, KIND, asked))
                assert (mark, kind) == (7, FIRST + number)
                assert read(holder, 0, call.answer) == pair.answer


def test_our_client_is_answered_by_the_package_of_google(native: Manifest) -> None:
    """Which finds in the request what the user wrote."""

    def answer(body: bytes) -> bytes:
        mark, kind, holder = _head(body)
        call = SCHEMA.calls[kind - FIRST]
        asked = read(holder, 0, call.request)
        (found,) = (it for it in SERVICE.payloads[call.name] if it.request == asked)
        return message(mark, kind, call.answer, found.answer)

    with answering(KIND, answer) as url, Adapter(native, "the client") as client:
        client.connect("native/flatbuffers+http", url, 1)
        for call in SCHEMA.calls:
            for number in range(1, len(SERVICE.payloads[call.name]) + 1):
                arguments = {PAIR: number}
                assert oracle.error_in(call.name, arguments, client.call(call.name, arguments), client.service) is None
