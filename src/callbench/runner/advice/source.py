"""What an advice is asked of: a record, or something to measure first, as a study, a service or a document."""

import math
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from callbench.adapter.generators.languages import LANGUAGES
from callbench.analysis.advice import stored
from callbench.analysis.wording.words import listed
from callbench.catalog import reach
from callbench.catalog.catalogue import Catalogue
from callbench.catalog.formats import OWN, plain
from callbench.catalog.imports.given_answer import GivenAnswer
from callbench.catalog.own import study as own_study
from callbench.catalog.own.place import is_service
from callbench.catalog.study import load
from callbench.catalog.study.load import names
from callbench.model.errors import BadInput
from callbench.model.situation import Situation
from callbench.runner.advice import checked, importing
from callbench.runner.advice.candidates import Chosen, chosen
from callbench.runner.advice.importing import Importing
from callbench.runner.plan import own_service
from callbench.runner.run import launch
from callbench.stats.estimate.percentile_calls import fewest_calls
from callbench.store.head import FILE
from callbench.store.record import Record
from callbench.store.record_writer import check_free
from callbench.store.stopping import Stopped

BUDGET_S = 120.0
# A slice may end a call early.
_SPARE = 1.2


@dataclass(frozen=True)
class Measuring:
    """How a record is made where there is none.

    Attributes:
        known: the stacks that there are.
        situation: without a link in it, every channel is measured; otherwise those that leave the machine.
        say: is given a sentence for each step.
        budget_s: the time to measure, in seconds.
        out: the folder of the run; None: `runs/STUDY-TIME`.
        answers: of calls of a document whose samples have requests alone.
        ask: asks a person a question and returns the answer; None: nobody can be asked.
    """

    known: Catalogue
    situation: Situation
    say: Callable[[str], None]
    budget_s: float = BUDGET_S
    out: Path | None = None
    answers: Sequence[GivenAnswer] = ()
    ask: Callable[[str], str] | None = None


def record_of(what: str, how: Measuring) -> Record:
    """Return the record, after it was measured if need be.

    Args:
        what: the folder of a record or of an imported service, a study, a document that `import` takes, or a folder of
            samples.
        how: how to measure.

    Raises:
        BadInput: it is none of these, or wrong.
        Stopped: a person stopped it.
        CallbenchError: it cannot be measured.
    """
    path = Path(what)
    checked.check_spoken(how.situation, how.known)
    if is_record(what):
        if how.out is not None:
            raise BadInput(f"--out {how.out}: {what} is a stored run, and its advice is kept in it; leave --out out")
        _refuse_answers(how, f"{what} is a stored run, and its answers are measured")
        return Record(path)
    if how.out is not None:
        check_free(how.out)
    if is_service(path):
        _refuse_answers(how, f"{what} is imported already")
        return _measured(what, how)
    if path.suffix == ".toml" or (what in names() and not path.exists()):
        _refuse_answers(how, f"{what} is a study")
        return _measured(what, how)
    if not path.exists():
        raise BadInput(
            f"{what} does not exist: name a stored run, a study of `callbench list studies`, an imported service, a"
            " document such as order.json, or a folder of samples"
        )
    checked.check_stack(how.situation.today, how.known)
    return _measured(str(importing.service_folder(path, Importing(how.say, how.answers, how.ask))), how)


def is_record(what: str) -> bool:
    """Whether nothing has to be measured to have the record."""
    return (Path(what) / FILE).is_file()


def _refuse_answers(how: Measuring, why: str) -> None:
    if how.answers:
        raise BadInput(f"--answer is for a document that is imported first, such as order.json: {why}")


def _measured(study: str, how: Measuring) -> Record:
    spoken = _languages(study, how)
    request, native = _request(study, how, spoken)
    known = own_service.for_service(how.known) if is_service(Path(study)) else how.known
    checked.check_planned(how.situation, launch.plan_run(request, how.known).plan, known.every)
    compiled = _compiled(study, spoken, how)
    if compiled != spoken:
        request, native = _request(study, how, compiled)
    if native.not_measured:
        how.say(f"{len(native.not_measured)} stacks cannot win by their bytes: they are listed, and not measured")
    path = launch.create_run(request, how.known)
    # Before anything is measured, so that who stops it and goes on has the list too.
    stored.write_not_measured(Record(path), native.not_measured)
    try:
        return launch.execute_run(path, how.known, resumed=False)
    except Stopped as stop:
        again = shlex.join(["callbench", "advise", str(path)])
        raise type(stop)(f"{stop}, and then `{again}` advises from it", stop.record) from None


def _request(study: str, how: Measuring, languages: Sequence[str]) -> tuple[launch.RunRequest, Chosen]:
    """What is measured, and which stacks are not. Nothing is compiled."""
    where = Path(study)
    usual = is_service(where) and not (where / own_study.STUDY).exists()
    native = chosen(where, how.known, how.situation) if usual else Chosen()
    select = [] if native.stacks else _channels(study, how, languages)
    request = launch.RunRequest(
        study, quick=True, select=select, budget_s=how.budget_s, baselines=False, languages=languages,
        stacks=native.stacks, settings=_for_the_objective(how.situation) if usual else {}, out=how.out,
    )  # fmt: skip
    return request, native


def _for_the_objective(situation: Situation) -> dict[str, str]:
    """Give each fork the calls that the percentile of the objective needs, and some more: then forks are fewer."""
    share = situation.objective.share if situation.objective else None
    if share is None or not 0 < share < 1:
        return {}
    return {own_study.QUICK_CALLS: str(math.ceil(_SPARE * fewest_calls(share)))}


def _languages(study: str, how: Measuring) -> tuple[str, ...]:
    """The adapters of the named languages that carry a service of the user's own; none if the study names its stacks.

    An adapter that is not set up is among them: the record then says why it was not measured.
    """
    where = Path(study)
    named = list(dict.fromkeys(plain(language) for language in how.situation.languages))
    if not is_service(where) or not named:
        return ()
    if (where / own_study.STUDY).exists():
        how.say(f"{where / own_study.STUDY} says what is measured. Name stacks in {listed(named)} there if they lack")
        return ()
    found = []
    for language in named:
        adapters = [
            adapter
            for adapter in how.known.adapters
            if adapter.name in LANGUAGES and plain(adapter.manifest.language) == language
        ]
        found += [adapter.name for adapter in adapters]
        for adapter in adapters:
            if adapter.why_not is not None:
                how.say(f"stacks in {language} are not measured: {adapter.why_not}")
        if not adapters and language != OWN:
            how.say(f"stacks in {language} are not measured: no types are generated in it; figures are those of Rust")
    return tuple(found)


def _compiled(study: str, languages: Sequence[str], how: Measuring) -> tuple[str, ...]:
    """Those of the languages in which the service can be compiled. The others are named, and advice does without them.

    One whose adapter is not set up stays.
    """
    kept = []
    for name in languages:
        set_up = how.known.adapter(name).why_not is None
        why = own_service.why_not_compiled(study, name) if set_up else None
        if why is None:
            kept.append(name)
        else:
            how.say(f"stacks of the adapter {name} are not measured: {why}")
    return tuple(kept)


def _channels(study: str, how: Measuring, languages: Sequence[str]) -> list[str]:
    """Select the channels that leave the machine, where some calls have to; otherwise all."""
    far = next((link.name for link in how.situation.links if link.wire.get("link")), None)
    if far is None:
        return []
    known = own_service.for_service(how.known) if is_service(Path(study)) else how.known
    stacks = {stack.id: stack for stack in known.every}
    used = {cell.stack for cell in load(study, languages=languages).cells(known.every, quick=True)}
    away = {stacks[name].channel for name in used if name in stacks and reach.why_not_over(stacks[name], far) is None}
    return [f"channel={channel}" for channel in sorted(away)]
