"""What a generator knows of the messages it was fitted to; JSON in `generator.json`."""

from pydantic import BaseModel, ConfigDict, JsonValue

FORMAT = 1


class FittedPlace(BaseModel):
    """What is known of the values of one place.

    Attributes:
        count: values seen, without null.
        distinct: different ones among them, counted up to a limit.
        least: the least number, if all are numbers.
        most: the greatest.
        repeats: few values that come again and again: they change places, and no new ones replace them.
        words: words that more than one message has, by their shape, with the number of messages. They are drawn from.
    """

    model_config = ConfigDict(extra="forbid")

    count: int = 0
    distinct: int = 0
    least: float | None = None
    most: float | None = None
    repeats: bool = False
    words: dict[str, dict[str, int]] = {}


class Novelty(BaseModel):
    """How much of a skeleton is replaced: all of it, unless the messages would compress worse than the samples.

    Attributes:
        words: the share of words that are replaced, 0 to 1.
        letters: a letter stands for one of so many letters that are about as frequent; 0 for any letter.
        numbers: the share of places whose numbers, dates and hexadecimal texts are replaced, 0 to 1.
        repeats: of values that come again and again, the share that change places, 0 to 1.
    """

    model_config = ConfigDict(extra="forbid")

    words: float = 1.0
    letters: int = 0
    numbers: float = 1.0
    repeats: float = 1.0


class Fitted(BaseModel):
    """A fitted generator.

    Attributes:
        format: of the file.
        given: how many samples it was fitted to; 0 if it was made from the schema.
        messages: the names of the schema's messages that a sample has one of each: request and answer.
        seed: decides everything that is drawn.
        novelty: how much of a skeleton is replaced.
        skeletons: the samples that messages are built on, each a list with a value for each of `messages`.
        places: by name.
    """

    model_config = ConfigDict(extra="forbid")

    format: int = FORMAT
    given: int = 0
    messages: tuple[str, ...]
    seed: int = 1
    novelty: Novelty = Novelty()
    skeletons: list[list[JsonValue]]
    places: dict[str, FittedPlace] = {}
