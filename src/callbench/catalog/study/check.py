"""Check a study beyond the form of its keys: names must exist and be unique, and arguments must be in range."""

from collections.abc import Iterable, Sequence

from callbench.catalog.links.profile import known_links
from callbench.catalog.reach import LOOPBACK, PAIR, REAL, on_real_hosts
from callbench.catalog.study.calls import faults
from callbench.catalog.study.claim import ClaimedRatio, comparison, comparisons
from callbench.catalog.study.loads import Group
from callbench.catalog.study.model import StudyPart
from callbench.catalog.study.pace import check_paces
from callbench.catalog.study.published import Published
from callbench.catalog.study.report_parts import SUMMARY_KEYS, Line, SummaryPart, TablePart
from callbench.model.errors import BadInput
from callbench.model.suggestions import allowed_names


def check(study: StudyPart, published: Published | None, file: str, own: Iterable[str] = ()) -> None:
    """Check a study's names against each other and against its published file.

    Args:
        study: what is checked.
        published: the published file.
        file: for sentences.
        own: the calls of an imported service.

    Raises:
        BadInput: the first mistake.
    """
    _unique((group.group for group in study.cells), f"{file}: [[cells]] group")
    _unique((table.id for table in study.tables), f"{file}: [[tables]] id")
    _unique((claim.id for claim in study.claims), f"{file}: [[claims]] id")
    for group in study.cells:
        _check_arguments(group, f"{file}: group {group.group}", own)
    check_paces(study, file)
    _known_links(study, file)
    groups = [group.group for group in study.cells]
    _unique((knee.id for knee in study.knees), f"{file}: [[knees]] id")
    for knee in study.knees:
        _known_group(knee.group, groups, f"{file}: knee {knee.id}")
    for table in study.tables:
        _check_table(table, groups, published, file)
    _check_drawn(study, groups, published, file)
    _check_conclusion(study, groups, file)
    for claim in study.claims:
        place = f"{file}: claim {claim.id}"
        if not claim.text and (published is None or claim.id not in published.claims):
            published_claims = published.claims if published else ()
            raise BadInput(
                f"{place} has no text, and no published claim has that id: {allowed_names(claim.id, published_claims)}"
            )
        _known_cells(comparisons(claim), groups, place)
    _check_questions(study, groups, published, file)


def _known_cells(parts: Iterable[ClaimedRatio], groups: list[str], place: str) -> None:
    """Check that the groups of comparisons exist."""
    for part in parts:
        for cell in (*part.over, *part.under):
            _known_group(cell.get("group"), groups, f'{place}: "{part.label}"')


def _check_questions(study: StudyPart, groups: list[str], published: Published | None, file: str) -> None:
    """Check the names in questions: published questions, tables, groups."""
    _unique((question.id for question in study.questions), f"{file}: [[questions]] id")
    tables = [table.id for table in study.tables]
    open_questions = len(published.open_questions) if published else 0
    for question in study.questions:
        place = f"{file}: question {question.id}"
        if question.open_question is not None and question.open_question > open_questions:
            raise BadInput(
                f"{place} is open_question {question.open_question}: the published file has {open_questions} of them"
            )
        for name in question.tables:
            if name not in tables:
                raise BadInput(f'{place}: there is no table "{name}": {allowed_names(name, tables, 20)}')
        _known_cells([comparison(answer) for answer in question.answers], groups, place)


def _check_arguments(group: Group, place: str, own: Iterable[str]) -> None:
    """Check the arguments of a group's call, with every value of a sweep."""
    sweep = group.sweep
    for value in (None,) if sweep is None else (*sweep.grid(quick=False), *sweep.grid(quick=True)):
        arguments = group.arguments if sweep is None else {**group.arguments, sweep.over: value}
        if fault := faults(group.call, arguments, own):
            raise BadInput(f"{place}: {fault[0]} {fault[1]}")


def _check_drawn(study: StudyPart, groups: list[str], published: Published | None, file: str) -> None:
    """Check the names in charts, ladders and summaries of ranks."""
    _unique((chart.id for chart in study.charts), f"{file}: [[charts]] id")
    _unique((rank.id for rank in study.ranks), f"{file}: [[ranks]] id")
    for chart in study.charts:
        for point in chart.points:
            _known_group(point.group, groups, f"{file}: chart {chart.id}")
    for ranks in study.ranks:
        for name in (name for column in ranks.columns for name in column.groups):
            _known_group(name, groups, f"{file}: ranks {ranks.id}")
        paths = [f"{ranks.published}.{column.published}" for column in ranks.columns if column.published]
        _check_beside(paths if ranks.published else [], ranks.rows, published, f"{file}: ranks {ranks.id}")
    _unique((summary.id for summary in study.summaries), f"{file}: [[summaries]] id")
    for summary in study.summaries:
        _check_summary(summary, groups, published, f"{file}: summary {summary.id}")
    _unique((ladder.id for ladder in study.ladders), f"{file}: [[ladders]] id")
    for ladder in study.ladders:
        place = f"{file}: ladder {ladder.id}"
        for point in ladder.points:
            _known_group(point.group, groups, place)
        paths = [path for path in (ladder.published, ladder.slopes and ladder.slopes.published) if path]
        _check_beside(paths, ladder.rows, published, place)


def _check_conclusion(study: StudyPart, groups: list[str], file: str) -> None:
    """Check the groups, links and rows of a conclusion."""
    if study.conclusion is None:
        return
    place, labels = f"{file}: conclusion", [row.label for row in study.rows]
    for call in study.conclusion.calls:
        _known_group(call.near, groups, place)
        _known_group(call.far, groups, place)
    for link in study.conclusion.links:
        if link not in known_links(study.links):
            raise BadInput(
                f'{place}: there is no link "{link}": {allowed_names(link, list(known_links(study.links)), 20)}'
            )
    for environment in study.conclusion.environments:
        for name in environment.rows:
            if name not in labels:
                raise BadInput(
                    f'{place}: {environment.label}: no row is called "{name}": {allowed_names(name, labels, 20)}'
                )


def _check_beside(paths: Sequence[str], rows: Sequence[Line], published: Published | None, place: str) -> None:
    """Check that published columns have the published rows."""
    if published is None:
        if not paths:
            return
        raise BadInput(f"{place} names published values, but the study names no published file")
    for path in paths:
        try:
            published.check_beside(path, (row.published for row in rows if row.published))
        except BadInput as error:
            raise BadInput(f"{place}: {error}") from None


def _unique(names: Iterable[str], place: str) -> None:
    """Check that no name occurs twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise BadInput(f'{place} "{name}" comes twice: each must be unique')
        seen.add(name)


def _known_links(study: StudyPart, file: str) -> None:
    """Check that every named link exists: a built-in one, or one of the study."""
    try:
        profiles = known_links(study.links)
        names = [LOOPBACK, REAL, *profiles]
    except BadInput as error:
        raise BadInput(f"{file}: {error}") from None
    places = [("load", study.load.link)]
    places += [
        (f"group {group.group}", link)
        for group in study.cells
        for link in (*(group.link or ()), *(group.quick.link or ()))
    ]
    places += [(f"table {table.id}", table.link) for table in study.tables]
    places += [(f"chart {chart.id}", chart.link) for chart in study.charts if chart.link]
    between = {on_real_hosts(name) for name in profiles if name != PAIR}
    for place, name in places:
        if name not in names and name not in between:
            raise BadInput(f'{file}: {place}: there is no link "{name}": {allowed_names(name, names, 20)}')


def _known_group(name: str | None, groups: list[str], place: str) -> None:
    """Check that a group exists."""
    if name is not None and name not in groups:
        raise BadInput(f'{place}: there is no group "{name}": {allowed_names(name, groups)}')


def _check_summary(summary: SummaryPart, groups: list[str], published: Published | None, place: str) -> None:
    """Check the group of a summary, and the columns of the published tables that its rows name."""
    _known_group(summary.group, groups, place)
    for row in (row for row in summary.rows if row.published is not None):
        if published is None:
            raise BadInput(f"{place} names published values, but the study names no published file")
        table = published.tree.get(str(row.published))
        if not isinstance(table, dict):
            names = [name for name, value in published.tree.items() if isinstance(value, dict)]
            near = allowed_names(str(row.published), names)
            raise BadInput(f'{place}: {published.name} has no table "{row.published}": {near}')
        wrong = [key for key in SUMMARY_KEYS if not isinstance(table.get(key), int | float)]
        if wrong:
            raise BadInput(f"{place}: {published.name}: {row.published} has no number {wrong[0]}")


def _check_table(table: TablePart, groups: list[str], published: Published | None, file: str) -> None:
    """Check the groups and the published names of a table."""
    place = f"{file}: table {table.id}"
    _known_group(table.group, groups, place)
    for line in (*table.rows, *table.columns):
        _known_group(line.where.group, groups, f'{place}: "{line.label}"')
    if table.published is None:
        return
    if published is None:
        raise BadInput(f"{place} names published values, but the study names no published file")
    try:
        for row in table.rows:
            published.check(table.published, row.published, None)
        for column in table.columns:
            published.check(table.published, None, column.published)
    except BadInput as error:
        raise BadInput(f"{place}: {error}") from None
