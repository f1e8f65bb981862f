"""Paths that are one call because they differ in one part only: `/users/anna` and `/users/bob` are `/users/{id}`.

How a part looks says little of names and short codes. What is asked for instead: the paths are equal but for one part,
requests and answers have the same structure, and either the bodies repeat that part, or there are many of them.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from callbench.catalog.imports.samples.observed_place import LIST, OBJECT, TEXT, ObservedPlace
from callbench.catalog.imports.samples.random_sample import RandomSample
from callbench.model.service.imported import Json, Pair

_REPEATED = 2
"""Paths that are enough if the bodies repeat the part that differs."""
_MANY = 5
"""Paths that are enough otherwise."""
_KEYS = 2
"""Keys that structures have at least, so that they can be compared."""
_SHARED = 0.6
"""Share of the keys that two structures have in common."""
_DEEPEST = 8
_LOOKED_AT = 8
"""Samples of a call whose bodies are searched for the parts of its path."""
_TEXTS = 10_000


@dataclass(slots=True, eq=False)
class Call:
    """What is known of one call.

    Attributes:
        name: the method and the path, or the name that a person gave.
        named: a person gave the name, so it is not joined with others.
        bodiless: its requests are made of the parameters of path and query.
        parameters: its requests are made of parameters or of a form's fields.
        repeated: the parts of the path, by number, that the bodies of all samples looked at have too.
        values: of a joined call, the parts that differ, at most so many as are shown.
        joined: how many paths it was made of.
        hosts: that were asked, as far as the source names them; at most so many as are shown.
    """

    name: str
    method: str
    path: str
    named: bool = False
    bodiless: bool = True
    parameters: bool = True
    request: ObservedPlace = field(default_factory=ObservedPlace)
    answer: ObservedPlace = field(default_factory=ObservedPlace)
    kept: RandomSample = field(default_factory=RandomSample)
    answered: int = 0
    repeated: set[int] | None = None
    values: list[str] = field(default_factory=list)
    joined: int = 1
    hosts: set[str] = field(default_factory=set)

    def look(self, request: Json, answer: Json) -> None:
        """Search the bodies of a sample for the parts of the path."""
        if not self.path or self.kept.count >= _LOOKED_AT:
            return
        texts = {text for body in (request, answer) for text in _texts(body)}
        places = {at for at, part in enumerate(self.path.split("/")) if part in texts}
        self.repeated = places if self.repeated is None else self.repeated & places

    def ask(self, hosts: set[str]) -> None:
        """Note that these hosts were asked."""
        self.hosts = set(sorted(self.hosts | hosts)[:_MANY])

    def settle_repeated(self) -> list[str]:
        """Makes a list of each parameter that some samples have several times, also where it occurs once.

        Returns:
            A sentence for the user, if there is such a parameter.
        """
        if not self.parameters:
            return []
        repeated = [key for key, seen in self.request.members.items() if seen.types == {TEXT, LIST}]
        for key in repeated:
            self.request.members[key].texts_as_lists()
        if not repeated:
            return []
        self.kept.pairs = [Pair(_with_lists(pair.request, repeated), pair.answer) for pair in self.kept.pairs]
        return [f"{self.name}: some requests have {', '.join(repeated[:5])} several times, so it is always a list."]

    def notes(self) -> list[str]:
        """Sentences for the user: what was taken as one call."""
        hosts = sorted(self.hosts)
        of_several = f"{self.name}: several hosts were asked for it ({', '.join(hosts)}); they are taken as one server."
        return [*([of_several] if len(hosts) > 1 else []), *self._of_paths()]

    def _of_paths(self) -> list[str]:
        """A sentence, if parts of the path are parameters."""
        if self.joined > 1:
            shown = ", ".join(self.values[:3]) + (" and others" if self.joined > len(self.values[:3]) else "")
            why = f"{self.joined:,} paths that differ in one part ({shown}) are one call"
            return [f"{self.name}: {why}, {self.method} {self.path}."]
        if "/{" in self.path:
            return [f"{self.name}: parts of its path look like identifiers, so it is {self.method} {self.path}."]
        return []


def joined(calls: Sequence[Call]) -> list[Call]:
    """The calls, where those that differ in one part of their path are one."""
    every = list(calls)
    # Parts are joined from the left, and anew after each: `/users/anna/orders/{id}` first loses its name.
    while (group := _group(every)) is not None:
        at, members = group
        path = _template(members[0].path, at)
        same = [call for call in every if call.path == path and call.method == members[0].method and not call.named]
        into = Call(f"{members[0].method.lower()} {path}", members[0].method, path)
        for call in [*same, *members]:
            _take(into, call, at if call in members else None)
        first = next(place for place, call in enumerate(every) if call in members or call in same)
        every = [call for call in every if call not in members and call not in same]
        every.insert(first, into)
    return every


def _group(calls: Sequence[Call]) -> tuple[int, list[Call]] | None:
    """The first calls that are one, and the number of the part in which they differ."""
    longest = max((call.path.count("/") for call in calls), default=0)
    for at in range(1, longest + 1):
        alike: dict[tuple[str, ...], list[Call]] = defaultdict(list)
        for call in calls:
            parts = call.path.split("/")
            if call.path and not call.named and at < len(parts) and parts[at] and not parts[at].startswith("{"):
                alike[call.method, *parts[:at], "", *parts[at + 1 :]].append(call)
        for members in alike.values():
            known = [call for call in calls if call.joined > 1 and call.path == _template(members[0].path, at)]
            for cluster in _clusters([*known, *members]):
                new = [call for call in cluster if call not in known]
                repeated = [call for call in new if call.repeated and at in call.repeated]
                enough = len(new) >= _MANY and len(_structure(new[0])) >= _KEYS
                if new and (enough or len(new) < len(cluster)):
                    return at, new
                if len(repeated) >= _REPEATED:
                    return at, repeated
    return None


def _clusters(calls: Sequence[Call]) -> list[list[Call]]:
    """The calls in groups of the same structure."""
    if len(calls) < _REPEATED:
        return []
    clusters: list[tuple[set[str], list[Call]]] = []
    for call in calls:
        structure = _structure(call)
        for other, members in clusters:
            if len(structure & other) >= _SHARED * len(structure | other):
                members.append(call)
                break
        else:
            clusters.append((structure, [call]))
    return [members for _, members in clusters if len(members) >= _REPEATED]


def _structure(call: Call) -> set[str]:
    """The keys of requests and answers, with the types of what they hold."""
    request = set() if call.bodiless else set(_places(call.request, "request", _DEEPEST))
    return request | set(_places(call.answer, "answer", _DEEPEST))


def _places(seen: ObservedPlace, place: str, levels: int) -> Iterator[str]:
    yield f"{place} {min(seen.types, default='')}"
    if levels and OBJECT in seen.types:
        for key, member in seen.members.items():
            yield from _places(member, f"{place}/{key}", levels - 1)
    if levels and LIST in seen.types and seen.items is not None:
        yield from _places(seen.items, f"{place}/*", levels - 1)


def _template(path: str, at: int) -> str:
    parts = path.split("/")
    count = sum(part.startswith("{") for part in parts)
    parts[at] = "{id}" if "{id}" not in parts else f"{{id{count + 1}}}"
    return "/".join(parts)


def _take(into: Call, call: Call, at: int | None) -> None:
    """Adds the samples of a call to another one. Its part at a place becomes a parameter."""
    bodiless = call.bodiless
    if at is not None:
        value = call.path.split("/")[at]
        into.values = [*into.values, value][:_MANY]
        if bodiless:
            name = into.path.split("/")[at][1:-1]
            call.request.put(name, value, call.kept.count)
            call.kept.pairs = [Pair(_with(pair.request, name, value), pair.answer) for pair in call.kept.pairs]
    else:
        into.values = [*call.values, *into.values][:_MANY]
    into.joined += call.joined - (0 if into.kept.count else 1)
    into.bodiless &= bodiless
    into.parameters &= call.parameters
    into.ask(call.hosts)
    into.answered += call.answered
    into.request.merge(call.request)
    into.answer.merge(call.answer)
    into.kept.merge(call.kept)


def _with(request: Json, name: str, value: str) -> Json:
    return {name: value, **request} if isinstance(request, dict) else request


def _with_lists(request: Json, keys: Sequence[str]) -> Json:
    """The request with a list for each text under one of these keys."""
    if not isinstance(request, dict):
        return request
    return {key: [value] if key in keys and isinstance(value, str) else value for key, value in request.items()}


def _texts(value: Json) -> Iterator[str]:
    """The texts and the whole numbers of a body, as far as it is worth it."""
    waiting = [value]
    for _ in range(_TEXTS):
        if not waiting:
            return
        node = waiting.pop()
        if isinstance(node, dict):
            waiting += node.values()
        elif isinstance(node, list):
            waiting += node[:_TEXTS]
        elif isinstance(node, str | int):
            yield str(node)
