"""What a person names of an advice, checked before anything is measured or compiled: stacks, calls and languages."""

from collections.abc import Sequence

from callbench.adapter.generators.languages import LANGUAGES
from callbench.catalog.catalogue import Catalogue
from callbench.catalog.formats import named_languages
from callbench.catalog.languages import check_languages
from callbench.model.cell import Stack
from callbench.model.errors import BadInput
from callbench.model.situation import Situation
from callbench.model.suggestions import allowed_names
from callbench.runner.plan import own_service
from callbench.runner.plan.plan import Plan


def check_spoken(situation: Situation, known: Catalogue) -> None:
    """Check that the languages of a situation exist.

    Raises:
        BadInput: one does not.
    """
    cards = (stack.card for stack in known.stacks)
    check_languages(
        situation.languages, [*(adapter.manifest.language for adapter in known.adapters), *named_languages(cards)]
    )


def check_stack(today: str, known: Catalogue) -> None:
    """Check that what runs today is a stack that carries a service of the user's own. It need not be set up.

    Raises:
        BadInput: it is none.
    """
    if today:
        names = [
            stack.id
            for stack in own_service.for_service(known).every
            if stack.own or stack.adapter == own_service.NATIVE
        ]
        if today not in names:
            raise BadInput(f'today: there is no stack "{today}": {allowed_names(today, names)}')


def check_planned(situation: Situation, plan: Plan, every: Sequence[Stack]) -> None:
    """Check that what runs today, and the calls that have shares, are among what is about to be measured.

    Args:
        situation: of the advice.
        plan: what is measured.
        every: the stacks that there are.

    Raises:
        BadInput: one is not.
    """
    groups = list(dict.fromkeys(cell.group for cell in plan.cells))
    for group in situation.groups or ():
        if group not in groups:
            raise BadInput(f'calls: there is no call or group "{group}": {allowed_names(group, groups)}')
    planned, today = [stack.id for stack in plan.stacks], situation.today
    there = {stack.id: stack for stack in every}.get(today)
    if not today:
        return
    if today not in planned:
        what = f"is not among what is measured: {_remedy(there, planned)}" if there else allowed_names(today, planned)
        raise BadInput(f"today: {today} {what}" if there else f'today: there is no stack "{today}": {what}')
    if there is not None and there.why_not is not None:
        raise BadInput(f"today: {today} cannot be measured here: {there.why_not}")


def _remedy(stack: Stack, planned: Sequence[str]) -> str:
    if stack.adapter in LANGUAGES and stack.adapter not in {name.partition("/")[0] for name in planned}:
        return f"say --language {stack.language} too"
    return allowed_names(stack.id, planned)
