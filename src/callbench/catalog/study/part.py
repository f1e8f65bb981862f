"""The base of all parts of a study file: strict keys and types, and the form of names."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints

Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
LinkName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$", max_length=60)]


class Part(BaseModel):
    """A part of a study file: no unknown keys, no conversion of types, no change after reading."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
