"""What the API is asked and what it answers, a type a message. The description is made from these."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from callbench.model.errors import BadInput
from callbench.store.shelf import STATES, UNKNOWN, ShelvedRecord
from callbench.web.api.schemas import record_kinds
from callbench.web.forms import FORMS, command_line
from callbench.web.jobs import Job


class AskedMessage(BaseModel):
    """What is asked; a member that is not known is refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


class NothingAsked(AskedMessage):
    """Nothing more than the address."""


class RecordsAsked(AskedMessage):
    """Which records are listed: those that fit all of it."""

    q: Annotated[str, Field(description="words, of which each has to occur in what is known of a record")] = ""
    kind: Annotated[
        Literal["", UNKNOWN, *record_kinds()],  # type: ignore[valid-type]  # there is no list of the kinds
        Field(description="what was measured; unknown: of a damaged record; empty: all"),
    ] = ""
    state: Annotated[Literal["", *STATES], Field(description="how far it is; empty: all")] = ""  # type: ignore[valid-type]
    tag: Annotated[str, Field(description="a tag; empty: all")] = ""


class NameAsked(AskedMessage):
    """Another name of a record."""

    name: Annotated[str, Field(description="letters, digits and . _ + -, at most 100 of them")]


class TagsAsked(AskedMessage):
    """All tags of a record; others that it had go."""

    tags: list[str]


class DeletionAsked(AskedMessage):
    """That a record is to be deleted."""

    sure: Annotated[Literal[True], Field(description="its whole folder goes")]


class ComparisonAsked(AskedMessage):
    """Two runs."""

    first: Annotated[str, Field(description="name of the run that is compared with")]
    other: Annotated[str, Field(description="name of the other run")]


class ReportAsked(AskedMessage):
    """What the tables of a run's report are beside."""

    beside: Annotated[str, Field(description="echo, or a stack's id; empty: values as measured")] = ""


class LatencyAsked(AskedMessage):
    """Which cells of a run are meant."""

    cells: Annotated[str, Field(description="their ids, with commas between them: c001,c002; at most 8")]


class HistoryAsked(AskedMessage):
    """In which order the records stand."""

    by: Annotated[Literal["time", "commit"], Field(description="time, or the commit of what was measured")] = "time"


class CommandAsked(AskedMessage):
    """A command with the fields of its form."""

    command: Annotated[str, Field(description="name of a form")]
    values: Annotated[dict[str, str], Field(description="texts by the names of its fields; a box that is ticked: yes")]

    def words(self) -> list[str]:
        """Return the words of the command line behind `callbench`.

        Raises:
            BadInput: there is no such form or field, a value cannot be given, or what it needs is missing.
        """
        words = command_line(self.command, self.values)
        fields = [field.name for field in FORMS[self.command].fields]
        for name in self.values:
            if name not in fields:
                raise BadInput(f"values.{name}: the form {self.command} has no such field: {', '.join(fields)}")
        if not words:
            raise BadInput(f"values: one of {', '.join(FORMS[self.command].needs)} is needed")
        return words


class SwitchAsked(AskedMessage):
    """What of a command that serves is to be on or off."""

    part: Annotated[str, Field(description="name of a part")]
    on: bool


class Failure(BaseModel):
    """Why something cannot be done."""

    sentence: str


class RecordEntry(BaseModel):
    """A record, as the list has it."""

    name: str
    kind: str
    title: str
    study: Annotated[str, Field(description="empty where the record names none")]
    machine: Annotated[str, Field(description="processor and system; empty if not known")]
    started: Annotated[str, Field(description="UTC; empty if not known")]
    state: str
    tags: list[str]
    trouble: Annotated[str, Field(description="why it cannot be read; empty if it can")]
    commit: Annotated[str, Field(description="of what was measured; empty if not known")]

    @classmethod
    def of(cls, entry: ShelvedRecord) -> "RecordEntry":
        """Return it, of an entry of the shelf."""
        return cls.model_validate(entry, from_attributes=True)


class RecordList(BaseModel):
    """Records, the newest first."""

    folder: str
    records: list[RecordEntry]


class RecordName(BaseModel):
    """Which record it was done to."""

    name: str


class FieldText(BaseModel):
    """A field of a form."""

    name: str
    label: str
    kind: Annotated[
        Literal["text", "number", "check", "lines", "area"],
        Field(description="lines: each line is a value; area: a value of several lines"),
    ]
    hint: str
    group: Annotated[str, Field(description="the heading that it stands under; empty: none")]


class FormText(BaseModel):
    """A command that can be started here."""

    command: str
    about: str
    needs: Annotated[list[str], Field(description="names of fields, of which one has to be filled")]
    calls: Annotated[bool, Field(description="whether one call can be made with it")]
    fields: list[FieldText]


class FormList(BaseModel):
    """Every command that can be started here."""

    forms: list[FormText]

    @classmethod
    def every(cls) -> "FormList":
        """Return all of them."""
        forms = [{"command": name, **vars(form)} for name, form in FORMS.items()]
        return cls.model_validate({"forms": forms}, from_attributes=True)


class CommandLine(BaseModel):
    """A command line."""

    words: Annotated[list[str], Field(description="behind `callbench`")]
    shell: Annotated[str, Field(description="as it is typed")]


class ShownCommand(CommandLine):
    """A command line, and where the URLs in it lead."""

    leads: Annotated[list[str], Field(description="a sentence for each URL that leads to this machine or its network")]


class StartedCommand(CommandLine):
    """A command that was started; secrets are masked."""

    name: Annotated[str, Field(description="of the record that it makes, if it makes one")]
    running: bool

    @classmethod
    def of(cls, job: Job) -> "StartedCommand":
        """Return it, of a job."""
        return cls.model_validate(job, from_attributes=True)


class CommandList(BaseModel):
    """Commands, the newest first."""

    commands: list[StartedCommand]


class WatchedCommand(BaseModel):
    """How a command stands that was started here, or a record that a terminal's command writes."""

    name: str
    record: Annotated[str, Field(description="state of its record; empty as long as there is none")]
    running: bool
