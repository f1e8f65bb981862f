"""A language beside native, each as the client of the other: what one library writes, another one reads."""

from pathlib import Path

from callbench.adapter import placement
from callbench.catalog import catalogue
from callbench.catalog.own import folder
from callbench.model.service.imported import Imported
from callbench.runner.verify import own_calls

_CELL = """
[[cells]]
group = "{call}"
stacks = {stacks}
call = "{call}"
"""


def failures(within: Path, service: Imported, stacks: dict[str, str]) -> list[str]:
    """What of the checks of a service fails over each stack with a native one on the other side, both ways.

    Args:
        within: an empty folder.
        service: its types are those of the service with everything, which the cache has compiled.
        stacks: what is checked, each with the native stack of the same protocol.
    """
    place = within / "service"
    within.mkdir(exist_ok=True)
    folder.write(place, service)
    pairs = [pair for one, native in stacks.items() for pair in (f"{one}:{native}", f"{native}:{one}")]
    cells = (_CELL.format(call=call, stacks=pairs) for call in service.payloads)
    (place / "study.toml").write_text('title = "Both ways"\n' + "".join(cells))
    outcomes = list(own_calls.of(catalogue.load(), place, placement=placement.choose_placement()))
    checks = {(outcome.subject, outcome.check) for outcome in outcomes if outcome.passed}
    assert len(checks) == len(pairs) * sum(len(pairs) + 1 for pairs in service.payloads.values())
    return [outcome.sentence for outcome in outcomes if outcome.fails]
