"""Secrets in samples: replaced by other text of the same length and kind of characters, the same one each time."""

from collections import Counter
from random import Random

from callbench.model.secrets import TOKEN, is_secret_header, is_secret_name
from callbench.model.service.imported import Json

_ANY = "token"
_LOWER, _UPPER, _DIGITS = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"


class SampleSecrets:
    """Replaces secrets and counts them.

    Attributes:
        replaced: how many values were replaced, by their key.
        dropped: how many headers with secrets were not read, by their name.
    """

    def __init__(self, *, keep: bool) -> None:
        """`keep` leaves all as it is."""
        self._keep = keep
        self.replaced: Counter[str] = Counter()
        self.dropped: Counter[str] = Counter()
        self._others: dict[str, str] = {}

    def header(self, name: str) -> None:
        """Note a header, which no sample keeps."""
        if is_secret_header(name):
            self.dropped[name.lower()] += 1

    def without(self, value: Json) -> Json:
        """The value with other text for secrets."""
        return value if self._keep else self._value(value, "")

    def notes(self) -> list[str]:
        """Sentences for the user."""
        notes = []
        if self.dropped:
            named = ", ".join(f"{count} x {name}" for name, count in sorted(self.dropped.items()))
            notes.append(f"Headers are not kept, so these secrets are left out: {named}.")
        if self.replaced:
            named = ", ".join(f"{count} x {name}" for name, count in sorted(self.replaced.items()))
            notes.append(
                f"Values that look like secrets were replaced by other text of the same length: {named}. "
                "Keep them with --keep-secrets."
            )
        return notes

    def _value(self, value: Json, secret: str) -> Json:
        if isinstance(value, dict):
            return {
                key: self._value(member, secret or (key if is_secret_name(key) else ""))
                for key, member in value.items()
            }
        if isinstance(value, list):
            return [self._value(item, secret) for item in value]
        if isinstance(value, str):
            if not secret and TOKEN.fullmatch(value):
                secret = _ANY
            if secret and value:
                self.replaced[secret] += 1
                return self._other(value)
        elif secret and isinstance(value, int) and not isinstance(value, bool):
            self.replaced[secret] += 1
            return int(self._other(str(value)))
        return value

    def _other(self, text: str) -> str:
        other = self._others.get(text)
        if other is None:
            random = Random(f"secret {len(self._others)}")  # noqa: S311 - it replaces a secret, and is none
            other = "".join(_of_kind(letter, random) for letter in text)
            self._others[text] = other
        return other


def _of_kind(letter: str, random: Random) -> str:
    for kind in (_LOWER, _UPPER):
        if letter in kind:
            return random.choice(kind)
    # No zero, which a number must not begin with.
    return random.choice(_DIGITS[1:]) if letter in _DIGITS[1:] else letter
