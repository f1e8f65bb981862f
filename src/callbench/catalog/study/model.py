"""The keys of a study file. Other keys are mistakes."""

from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from callbench.catalog import reach
from callbench.catalog.external import Server
from callbench.catalog.links.profile import LinkPart
from callbench.catalog.study.hosts import HostsPart
from callbench.catalog.study.loads import Group, KneePart, LoadPart, QuickPart, RunPart
from callbench.catalog.study.part import LinkName, Name, Part
from callbench.catalog.study.report_parts import (
    ChartPart,
    ClaimPart,
    ConclusionPart,
    LadderPart,
    Line,
    QuestionPart,
    RanksPart,
    SummaryPart,
    TablePart,
)


class StudyPart(Part):
    """A whole study file.

    Attributes:
        rows: the rows of every table, chart, ladder and summary of ranks without rows of its own.
    """

    title: Name
    about: str = ""
    published: Name | None = None
    rows: list[Line] = []
    parameters: dict[str, int | float | str | bool] = {}
    lists: dict[str, list[Any]] = {}
    run: RunPart = RunPart()
    load: LoadPart = LoadPart()
    quick: QuickPart = QuickPart()
    links: dict[LinkName, LinkPart] = {}
    servers: dict[LinkName, Server] = {}
    hosts: HostsPart | None = None
    cells: Annotated[list[Group], Field(min_length=1)]
    knees: list[KneePart] = []
    tables: list[TablePart] = []
    charts: list[ChartPart] = []
    ladders: list[LadderPart] = []
    ranks: list[RanksPart] = []
    summaries: list[SummaryPart] = []
    conclusion: ConclusionPart | None = None
    claims: list[ClaimPart] = []
    questions: list[QuestionPart] = []

    @model_validator(mode="before")
    @classmethod
    def _give_rows(cls, raw: object) -> object:
        """Insert the study's rows into parts without rows of their own."""
        if not isinstance(raw, dict) or not raw.get("rows"):
            return raw
        filled = dict(raw)
        keys = {"tables": "rows", "charts": "series", "ladders": "rows", "ranks": "rows", "summaries": "rows"}
        for kind, key in keys.items():
            parts = raw.get(kind)
            if isinstance(parts, list):
                filled[kind] = [{key: raw["rows"], **part} if isinstance(part, dict) else part for part in parts]
        return filled

    def shared(self) -> Self:
        """Return the study with `load.share` of its calls and seconds; [quick] is unchanged."""
        share = self.load.share

        def less(part: LoadPart | Group, names: tuple[str, ...]) -> dict[str, int | float]:
            given = {name: getattr(part, name) for name in names if getattr(part, name) is not None}
            return {
                name: value * share if name == "seconds" else max(1, round(value * share))
                for name, value in given.items()
            }

        return self.model_copy(
            update={
                "load": self.load.model_copy(update=less(self.load, ("calls", "seconds", "slow_calls"))),
                "cells": [group.model_copy(update=less(group, ("calls", "seconds"))) for group in self.cells],
            }
        )

    @property
    def between_hosts(self) -> bool:
        """Whether it has cells between real hosts by itself."""
        links = {
            self.load.link,
            *(link for group in self.cells for link in (*(group.link or ()), *(group.quick.link or ()))),
        }
        return any(map(reach.between_hosts, links))

    def over(self, link: str) -> Self:
        """Return the study with every cell and table over one link."""
        return self.model_copy(
            update={
                "load": self.load.model_copy(update={"link": link}),
                "cells": [
                    group.model_copy(update={"link": None, "quick": group.quick.model_copy(update={"link": None})})
                    for group in self.cells
                ],
                "tables": [table.model_copy(update={"link": link}) for table in self.tables],
                "summaries": [summary.model_copy(update={"link": link}) for summary in self.summaries],
            }
        )
