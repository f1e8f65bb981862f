"""`callbench advise --language`, from a sample to the page: the stacks of the language are measured and chosen from."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from callbench.catalog import catalogue, setup
from callbench.catalog.situation.file import situation_of
from callbench.model.errors import BadInput, CallbenchError
from callbench.runner.advice import source
from callbench.runner.plan import own_service
from callbench.runner.run import launch
from conftest import ROOT

Callbench = Callable[..., CompletedProcess[str]]
ADAPTER = catalogue.load([ROOT / "adapters" / "go"]).adapter("go")
ORDER = '{"id": 1, "customer": "Ada", "items": [{"sku": "A-100", "quantity": 2}]}'


@pytest.mark.slow
@pytest.mark.go
@pytest.mark.skipif(ADAPTER.why_not is not None, reason=str(ADAPTER.why_not))
# The sample's service is compiled, beside other tests. Go needs no warming, which took Node.js minutes of a processor.
@pytest.mark.timeout(1800)
@pytest.mark.usefixtures("lab", "nothing_left")
def test_the_stacks_of_the_language_are_measured_and_chosen_from(
    callbench: Callbench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("CALLBENCH_ADAPTERS")
    (tmp_path / "order.json").write_text(ORDER)
    options = ["--link", "2ms", "--language", "go", "--budget", "1s", "--undecided", "pass"]
    ended = callbench("advise", "order.json", *options, check=True, timeout=1700)
    files = list((tmp_path / "runs").glob("order-*/advice.json"))
    assert len(files) == 1, ended.stderr
    record = json.loads(files[0].read_text())
    assert record["languages"]["measured"] == ["go"]
    assert record["choice"].startswith("go/")
    assert {one["stack"].partition("/")[0] for one in record["candidates"]} == {"go"}
    assert {one["stack"].partition("/")[0] for one in record["checks"]} == {"go"}
    # On a busy machine a stack or two have no value.
    assert {one["stack"].partition("/")[0] for one in record["languages"]["bound"]} == {"native"}
    assert "What stacks of other languages reach" in callbench("show", files[0], check=True).stdout
    # The sample has one size: payloads of others were made and measured.
    assert record["sizes"] == "sizes"
    assert record["regions"]["x"]["unit"] == "bytes"
    assert {name.partition("/")[0] for name in record["regions"]["names"]} == {"go"}


class Planned(BadInput):
    """Ends a test where the run would begin."""


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> list[launch.RunRequest]:
    """What is asked to be measured; nothing is."""
    asked: list[launch.RunRequest] = []

    def planned(request: launch.RunRequest, _known: object) -> Path:
        asked.append(request)
        raise Planned("planned")

    monkeypatch.setattr(launch, "create_run", planned)
    monkeypatch.setattr(own_service, "why_not_compiled", lambda _study, _language: None)
    return asked


def _asked(what: Path, *languages: str) -> list[str]:
    """Plan the measuring of a service. Returns what is said."""
    said: list[str] = []
    situation = situation_of({"links": [{"link": "25ms"}], "languages": list(languages)}, "said")
    with pytest.raises(Planned):
        source.record_of(str(what), source.Measuring(catalogue.load(), situation, said.append))
    return said


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, callbench: Callbench) -> Path:
    (tmp_path / "order.json").write_text(ORDER)
    monkeypatch.delenv("CALLBENCH_ADAPTERS")
    callbench("import", "order.json", check=True)
    return tmp_path / "order"


def test_the_languages_of_the_situation_are_measured(service: Path, requests: list[launch.RunRequest]) -> None:
    """By the names that people use, once each. Their channels are measured with those that leave the machine."""
    _asked(service, "Golang", "go", "C#")
    assert set(requests[0].languages) == {"go", "dotnet"}
    channels = {stack.rpartition("+")[2] for stack in requests[0].stacks}
    # Stacks of other languages have no TLS, so nothing is compared with it.
    assert "grpc" in channels
    assert "shm" not in channels


def test_a_language_whose_compiler_fails_does_not_end_the_advice(
    service: Path, requests: list[launch.RunRequest], monkeypatch: pytest.MonkeyPatch
) -> None:
    whys = {"go": "go build failed: no space left on device"}
    monkeypatch.setattr(own_service, "why_not_compiled", lambda _study, language: whys.get(language))
    said = _asked(service, "go", "C#")
    assert requests[0].languages == ("dotnet",)
    assert said == [f"stacks of the adapter go are not measured: {whys['go']}"]


def test_a_compiler_that_fails_is_a_sentence(service: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> tuple[str, ...]:
        raise CallbenchError("no space left on device")

    monkeypatch.setattr(own_service, "LANGUAGES", {"go": broken})
    assert own_service.why_not_compiled(service, "go") == "no space left on device"


def test_without_a_language_rust_alone_is_measured(service: Path, requests: list[launch.RunRequest]) -> None:
    assert _asked(service) == []
    assert requests[0].languages == ()


def test_a_language_without_generated_types_is_said(service: Path, requests: list[launch.RunRequest]) -> None:
    said = _asked(service, "cobol", "rust")
    assert requests[0].languages == ()
    assert len(said) == 1
    assert "cobol" in said[0]


def test_a_service_with_a_study_names_its_stacks_itself(service: Path, requests: list[launch.RunRequest]) -> None:
    (service / "study.toml").write_text(
        'title = "Mine"\n[[cells]]\ngroup = "one"\nstacks = ["native/json+tcp"]\ncall = "Order"\n'
    )
    said = _asked(service, "go")
    assert requests[0].languages == ()
    assert "study.toml" in said[0]


def test_an_adapter_that_is_not_set_up_is_named_with_its_command(
    service: Path, requests: list[launch.RunRequest], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is measured all the same, so that the record says why it has no figures."""
    monkeypatch.setattr(catalogue, "_cannot_start", lambda _program, remedy: f"its program is missing{remedy}")
    said = _asked(service, "go")
    assert "stacks in go are not measured" in said[0]
    assert setup.command(catalogue.load().adapter("go").manifest) in said[0]
    assert requests[0].languages == ("go",)
