"""Draws messages from a fitted generator."""

from collections import Counter, defaultdict
from random import Random

from callbench.catalog.generator import dates, numbers
from callbench.catalog.generator.fitted import Fitted, FittedPlace
from callbench.catalog.generator.walk import Leaf, Scalar, Walk
from callbench.catalog.generator.words import Alphabet, is_common, is_hexadecimal, shape_of, with_words, words
from callbench.model.service.imported import Json
from callbench.model.service.schema import NARROW, Kind, Schema

_NOTHING = FittedPlace()
_STAYING = {Kind.BYTES, Kind.ENUM}
_FORMS = {"time", "duration", "ipv4", "ipv6", "regex", "json-pointer"}


class Generator:
    """Makes messages by number: the same number and seed give the same message."""

    def __init__(self, fitted: Fitted, schema: Schema) -> None:
        """Prepare.

        Raises:
            ValueError: it has no skeletons.
        """
        if not fitted.skeletons:
            raise ValueError("a generator needs at least one sample")
        self._fitted = fitted
        self._walk = Walk(schema)
        self._keys = frozenset(word for _, field in schema.fields() for word in words(field.json_name))
        self._key_letters = "".join(sorted(self._keys))

    def sample(self, index: int) -> list[Json]:
        """The message of this number, 0 or more: a value for each of `Fitted.messages`.

        Each skeleton comes once before one comes again, in an order that is another one each time.
        """
        count = len(self._fitted.skeletons)
        turn, at = divmod(index, count)
        order = list(range(count))
        Random(f"{self._fitted.seed} order {turn}").shuffle(order)  # noqa: S311 - nothing secret
        return self.from_skeleton(order[at], index)

    def from_skeleton(self, skeleton: int, index: int) -> list[Json]:
        """The message of this number, built on one skeleton."""
        sample = self._fitted.skeletons[skeleton]
        random = Random(f"{self._fitted.seed} message {index}")  # noqa: S311 - nothing secret
        plan = _Plan(self._fitted, self._keys, self._key_letters, random)
        parts = list(zip(self._fitted.messages, sample, strict=True))
        if all(part == parts[0] for part in parts):
            # The server sends the request back.
            parts = parts[:1]
        for name, value in parts:
            self._walk.replaced(value, name, plan.see)
        plan.decide()
        made = [self._walk.replaced(value, name, plan.replace) for name, value in parts]
        return made * (len(sample) // len(made))


class _Plan:
    """What replaces what in one message: first it sees every leaf, then it decides, then it replaces them."""

    def __init__(self, fitted: Fitted, keys: frozenset[str], key_letters: str, random: Random) -> None:
        self._places = fitted.places
        self._novelty = fitted.novelty
        self._several = len(fitted.skeletons) > 1
        self._keys = keys
        self._letters = [key_letters]
        self._random = random
        self._repeated: dict[str, list[Scalar]] = defaultdict(list)
        self._numbers: dict[numbers.NumberGroup, list[float]] = defaultdict(list)
        self._steps: dict[numbers.NumberGroup, int] = {}
        self._words: dict[str, dict[str, str]] = defaultdict(dict)
        self._new: dict[str, str] = {}
        self._units: list[int] = []
        self._span = 0
        self._next_at: Counter[str] = Counter()

    def see(self, leaf: Leaf, value: Scalar) -> Scalar:
        """Note a leaf."""
        if value is None:
            return value
        place = self._places.get(leaf.place, _NOTHING)
        if place.repeats and not leaf.is_key:
            self._repeated[leaf.place].append(value)
        elif isinstance(value, str):
            self._see_text(leaf, value)
        elif not isinstance(value, bool):
            group = numbers.group_of(value, _range(place) or _width(leaf))
            if group is not None:
                self._numbers[group].append(value)
        return value

    def decide(self) -> None:
        """Draw what is drawn once for a message."""
        alphabet = self._alphabet = Alphabet(self._letters, self._random, self._novelty.letters)
        self._moves = self._chosen(self._novelty.numbers)
        self._span = dates.span(self._units, self._random) if self._units and self._moves else 0
        self._hexadecimal = self._chosen(self._novelty.numbers)
        for group, members in self._numbers.items():
            chosen = self._chosen(self._novelty.numbers)
            self._steps[group] = numbers.step_for(members, group, self._random) if chosen else 0
        for place, of_place in self._words.items():
            self._decide_words(self._places.get(place, _NOTHING), of_place, alphabet)
        for values in self._repeated.values():
            self._mix(values)

    def replace(self, leaf: Leaf, value: Scalar) -> Scalar:
        """What a leaf becomes."""
        if value is None:
            return value
        place = self._places.get(leaf.place, _NOTHING)
        if place.repeats and not leaf.is_key:
            return self._next(leaf.place)
        if isinstance(value, str):
            return self._text(leaf, value)
        if isinstance(value, bool):
            return value
        group = numbers.group_of(value, _range(place))
        if group is None:
            return value
        step = self._steps[group]
        return numbers.moved(value, group, step) if step else value

    def _stays(self, leaf: Leaf) -> bool:
        """Whether a text has a form that other words would break, or is a key that other messages may have too."""
        if leaf.is_key:
            return not self._several or (leaf.field is not None and leaf.field.key is not Kind.STRING)
        field = leaf.field
        return field is not None and (field.kind in _STAYING or field.format in _FORMS)

    def _see_text(self, leaf: Leaf, text: str) -> None:
        if self._stays(leaf):
            return
        if dates.is_moment(text):
            self._units.append(dates.unit(text))
        elif not is_hexadecimal(text):
            for word in words(text):
                self._words[leaf.place][word] = word
                self._letters.append(word)

    def _decide_words(self, place: FittedPlace, of_place: dict[str, str], alphabet: Alphabet) -> None:
        taken: set[str] = set()
        for word in list(of_place):
            pool = place.words.get(shape_of(word), {})
            if word in pool:
                other = self._random.choices(list(pool), list(pool.values()))[0]
                of_place[word] = word if other in taken or not self._chosen(self._novelty.words) else other
            else:
                of_place[word] = self._new_word(word, alphabet)
            taken.add(of_place[word])

    def _new_word(self, word: str, alphabet: Alphabet) -> str:
        """Another word for one that only this message has; the same one wherever it occurs."""
        if word not in self._new:
            keep = is_common(word) or word in self._keys or not self._chosen(self._novelty.words)
            self._new[word] = word if keep else alphabet.word(word)
        return self._new[word]

    def _text(self, leaf: Leaf, text: str) -> str:
        if self._stays(leaf):
            return text
        if dates.is_moment(text):
            return dates.moved(text, self._span)
        if is_hexadecimal(text):
            return self._alphabet.hexadecimal(text) if self._hexadecimal else text
        return with_words(text, self._words[leaf.place])

    def _mix(self, values: list[Scalar]) -> None:
        """Let values change places: all by one number of places, so that neighbours stay, or some with each other."""
        share, count = self._novelty.repeats, len(values)
        if share == 1.0:
            turn = self._random.randrange(count)
            values[:] = values[turn:] + values[:turn]
        elif share > 0:
            for _ in range(max(1, round(share * count / 2))):
                one, other = self._random.randrange(count), self._random.randrange(count)
                values[one], values[other] = values[other], values[one]

    def _next(self, place: str) -> Scalar:
        at = self._next_at[place]
        self._next_at[place] = at + 1
        return self._repeated[place][at]

    def _chosen(self, share: float) -> bool:
        return self._random.random() < share


def _width(leaf: Leaf) -> tuple[float, float] | None:
    values = NARROW.get(leaf.field.format) if leaf.field is not None else None
    return None if values is None else (values.start, values.stop - 1)


def _range(place: FittedPlace) -> tuple[float, float] | None:
    return None if place.least is None or place.most is None else (place.least, place.most)
