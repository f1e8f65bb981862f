"""Every adapter that is there and has the feature `trace` makes of all golden traces what the files say."""

import time

import pytest
from comparing import differences, golden_traces, request

from callbench.adapter.contract import schema_error_in_answer
from callbench.adapter.session import Adapter
from callbench.catalog import catalogue
from conftest import ROOT

FOLDERS = sorted(file.parent for file in [*ROOT.glob("adapters/*/adapter.toml"), *ROOT.glob("engine/*/adapter.toml")])
KNOWN = {adapter.name: adapter for adapter in catalogue.load(FOLDERS).adapters}
# Kits that must replay, as every runner behind the host; others may.
MUST = {"native", "instrument", "cpp", "dotnet", "go"}


@pytest.mark.engine
@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.usefixtures("nothing_left")
def test_it_makes_of_every_trace_what_the_file_says(name: str) -> None:
    known = KNOWN[name]
    if known.why_not:
        pytest.skip(known.why_not)
    wrong: list[str] = []
    with Adapter(known.manifest, "the one that replays") as adapter:
        if "trace" not in adapter.hello["features"]:
            assert name not in MUST
            assert not known.manifest.hosted
            pytest.skip("its kit replays no traces")
        for number, (trace, whole) in enumerate(golden_traces().items(), start=1):
            adapter.process.send(request(whole, number), 5)
            answer = adapter.process.receive(time.monotonic() + 60, "what came of the trace")
            assert schema_error_in_answer(answer) is None
            wrong += [f"{trace}: {line}" for line in differences(whole["expect"], answer)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.engine
@pytest.mark.usefixtures("nothing_left")
def test_a_trace_that_would_never_end_is_refused() -> None:
    whole = golden_traces()["closed-clock-0"]
    whole["plan"]["spin_ns"] = 5
    with Adapter(KNOWN["instrument"].manifest, "the one that replays") as adapter:
        adapter.process.send(request(whole, 1), 5)
        answer = adapter.process.receive(time.monotonic() + 60, "a refusal")
    assert (answer["is"], answer["kind"]) == ("error", "bad-request")
