"""Secrets in what is kept: known by their names, and masked wherever their values stand.

A value is learned where its name tells that it is secret: in headers, cookies, queries, bodies, command lines and
studies. From then on its text is masked in everything that is written, also percent-encoded, in base64 or as hex. What
is sent is not touched.
"""

import base64
import functools
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import quote, quote_plus, unquote

from callbench.model.errors import BadInput

KEYS = frozenset(
    {
        "assertion", "auth", "bearer", "cardnumber", "clientassertion", "codeverifier", "creditcard", "csrf", "cvc",
        "cvv", "jwt", "oauthtoken", "otp", "pin", "pwd", "samlresponse", "sid", "sig", "ssn", "token",
    }
)  # fmt: skip
# Names of this kind have other words before: newPassword, user[password], DB_PASSWORD, AWS_SECRET_ACCESS_KEY.
_ENDS = (
    *("secret", "apikey", "accesskey", "secretkey", "privatekey", "subscriptionkey", "authkey", "masterkey"),
    *("accesstoken", "refreshtoken", "authtoken", "sessiontoken", "securitytoken", "bearertoken", "apitoken"),
    *("idtoken", "csrftoken", "xsrftoken", "verificationtoken", "resettoken", "authorization", "cookie"),
    *("credential", "credentials", "signature", "sessionid"),
)
_WITHIN = ("password", "passwd", "passphrase")
# Tokens are known by their form too: of HTTP, JSON Web Tokens, those of code forges and chats, and keys in PEM.
TOKEN = re.compile(
    r"(?:Bearer|Basic|Digest|Token) [\w.~+/=-]{8,}|(?<=PRIVATE KEY-----)[^-]{6,}(?=-----END)|(?<![\w-])(?:"
    r"eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*|gh[opsur]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{20,}|xox[a-z]-[\w-]{10,}"
    r"|sk-[\w-]{20,})"
)
# Headers have names of their own kind: X-Vault-Token, X-Goog-Api-Key, X-Hub-Signature.
_HEADER_ENDS = ("token", "session", "auth", "functionskey")
# It begins with a word and is not long: else a text without spaces would be read again from each of its letters.
_NAME_BEFORE = r"(?<![A-Za-z0-9_])\w(?:[\w.\[\]-]|%5[BbDd]){0,80}"
_NAMED = re.compile(
    rf"""(["']?)({_NAME_BEFORE})\1(\s*[=:]\s*)(?:"([^"]*)"|'([^']*)'|((?![\[{{(])[^\s&;,"'}}\])<>]+))"""
)
# A part of a form with files: its name, further fields, an empty line, its value.
_PART = re.compile(
    r'form-data;[^\r\n]{0,200}?name="([^"\r\n]+)"[^\r\n]*(?:\r?\n[^\r\n]+){0,8}\r?\n\r?\n(.{0,4096}?)(?=\r?\n--|\Z)',
    re.DOTALL,
)
# As a text of its own, or as a word of a command line: `--header=NAME: VALUE`.
_HEADER = re.compile(r"\s*(?:--?[A-Za-z][\w-]*=)?([A-Za-z][\w-]*)\s*:\s*(\S.*)", re.DOTALL)
_OPTION = re.compile(r"(?<![\w-])--?([A-Za-z][\w-]*)[ =]+(\S+)")
_USER = re.compile(r"://[^/@\s:]*:([^/@\s]+)@")
_ELEMENT = re.compile(r"<(?:[\w.-]+:)?([\w.-]+)(?:\s[^<>]*)?>([^<>]+)<")
_NAME = re.compile(r"[\w .-]{1,40}")
_HEX = re.compile(r"(?:[0-9A-Fa-f]{2})+")
_MASK = re.compile(r"\*\*\*(?:study-)?\d+\*\*\*")
# A shorter value stands for many things: it is masked only where its name is.
_LEAST, _WORD, _MOST = 6, 12, 500
_LONGEST_TEXT = 4 << 20
# Names within the values of other names.
_DEEPEST = 20


# What a message puts where it cut a text.
_CUT = re.compile(r"`?(?:\.\.\.|…)")


def _without_beginning(text: str, secret: str, mask: str) -> str:
    """Mask the beginning of a secret at each place where a message was cut within it."""
    for end in reversed([cut.start() for cut in _CUT.finditer(text)]):
        lengths = range(min(len(secret) - 1, end), _LEAST - 1, -1)
        length = next((length for length in lengths if text[end - length : end] == secret[:length]), 0)
        text = text[: end - length] + mask + text[end:] if length else text
    return text


@functools.lru_cache(maxsize=4096)
def is_secret_name(name: str) -> bool:
    """Return whether a key, a parameter or a header is known to hold a secret."""
    plain = _plain(name)
    return plain in KEYS or plain.endswith(_ENDS) or any(word in plain for word in _WITHIN)


def _plain(name: str) -> str:
    """The letters and digits of a name: `user%5Bpassword%5D` is `userpassword`."""
    return re.sub(r"[^a-z0-9]", "", unquote(name).lower())


def is_secret_header(name: str) -> bool:
    """Return whether a header is known to hold a secret, or has a name of that kind."""
    return is_secret_name(name) or _plain(name).endswith(_HEADER_ENDS)


class Secrets:
    """The secrets that this program has met.

    Attributes:
        keep: whether they are kept as they are.
    """

    def __init__(self) -> None:
        """Know none."""
        self.keep = False
        self._masks: dict[str, str] = {}
        self._study = 0

    @property
    def met(self) -> bool:
        """Whether there was any."""
        return bool(self._masks)

    def learn(self, value: object) -> None:
        """Learn the secrets in a value of JSON, or in a text."""
        for _ in self._walked(value, ""):
            pass

    def learn_study(self, source: bytes) -> None:
        """Learn the secrets of a study, under masks that are the same whenever it is read."""
        study: dict[str, str] = {}
        for secret in self._walked(tomllib.loads(source.decode(errors="replace")), ""):
            study.setdefault(secret, f"***study-{len(study) + 1}***")
        self._masks.update(study)

    def masked_text(self, text: str) -> str:
        """Return a text without secrets."""
        if self.keep:
            return text
        for value, mask in self._long():
            for form in _forms(value):
                text = _without_beginning(text.replace(form, mask), form, mask)
        return _NAMED.sub(self._named_masked, text) if len(text) < _LONGEST_TEXT else text

    def masked(self, value: Any) -> Any:  # noqa: ANN401 - JSON
        """Return a value of JSON without secrets."""
        if self.keep:
            return value
        self.learn(value)
        return self._masked(value, secret=False)

    def restored(self, value: Any, where: str) -> Any:  # noqa: ANN401 - JSON
        """Return a value of JSON with its secrets again.

        Args:
            value: from a record.
            where: the record, for the message.

        Raises:
            BadInput: one is not known.
        """
        text = json.dumps(value)
        for secret, mask in self._masks.items():
            text = text.replace(mask, json.dumps(secret)[1:-1])
        if _MASK.search(text):
            raise BadInput(f"{where} holds no secrets, which its calls need: give the study with them, as at first")
        return json.loads(text)

    def _masked(self, value: Any, *, secret: bool) -> Any:  # noqa: ANN401 - JSON
        if isinstance(value, Mapping):
            return {
                self._masked_key(str(key)): self._masked(each, secret=secret or is_secret_name(str(key)))
                for key, each in value.items()
            }
        if isinstance(value, (list, tuple)):
            if value and isinstance(value[0], (list, int, float)) and not secret and not _has_text(value):
                return value
            if _is_header(value):
                return [value[0], self._mask_of(value[1])]
            return [self._masked(each, secret=secret) for each in value]
        if secret and isinstance(value, (str, int, float)) and not isinstance(value, bool):
            return self._mask_of(str(value)) if value != "" else value
        return self._text_masked(value) if isinstance(value, str) else value

    def _text_masked(self, text: str) -> str:
        """Mask a text. In a word of a command line, a header's value may be too short to be found by itself."""
        shown = self.masked_text(text)
        header = _HEADER.fullmatch(text)
        if shown != text or not text.startswith("-") or header is None or not is_secret_header(header[1]):
            return shown
        return text[: header.start(2)] + self._mask_of(header[2])

    def _masked_key(self, key: str) -> str:
        """Mask a key that is a text, such as a URL, and leave the names of a record alone."""
        return key if _NAME.fullmatch(key) else self.masked_text(key)

    def _mask_of(self, value: str) -> str:
        return value if _MASK.fullmatch(value) else self._masks.setdefault(value, f"***{len(self._masks) + 1}***")

    def _named_masked(self, match: re.Match[str], depth: int = 0) -> str:
        group = _value_group(match)
        value = match[group]
        if not is_secret_name(match[2]):
            # What is named may have names in it: `http://host:80/?token=...` is the value of `http`.
            begin, end = match.start(group) - match.start(), match.end(group) - match.start()
            if depth > _DEEPEST:
                return match[0]
            inner = _NAMED.sub(functools.partial(self._named_masked, depth=depth + 1), value)
            return match[0][:begin] + inner + match[0][end:]
        if not value or _MASK.search(value) or _is_prose(match[3], value):
            return match[0]
        return match[0].replace(value, self._mask_of(value)) if value not in match[2] else match[0]

    def _long(self) -> list[tuple[str, str]]:
        """Return the values that are long enough to be found by themselves, the longest first."""
        known = [(value, mask) for value, mask in self._masks.items() if _stands_out(value)]
        return sorted(known[-_MOST:], key=lambda pair: -len(pair[0]))

    def _walked(self, value: object, name: str) -> Iterator[str]:
        """Learn and yield the secrets in a value; all of it is secret where a name is given."""
        if isinstance(value, Mapping):
            for key, each in value.items():
                yield from self._walked(each, name or (str(key) if is_secret_name(str(key)) else ""))
        elif isinstance(value, (list, tuple)):
            if not _has_text(value):
                return
            if _is_header(value):
                yield from self._added(str(value[1]))
            else:
                for each in value:
                    yield from self._walked(each, name)
        elif isinstance(value, (str, int, float)) and name and not isinstance(value, bool):
            yield from self._added(str(value))
        elif isinstance(value, str) and len(value) < _LONGEST_TEXT:
            yield from self._in_text(value)

    def _added(self, value: str) -> Iterator[str]:
        value = value.strip()
        if not value or _MASK.search(value):
            return
        parts = {value, unquote(value)}
        scheme, _, rest = value.partition(" ")
        if rest and scheme.isalpha():
            parts.add(rest)
            if scheme == "Basic":
                parts |= set(_decoded(rest).partition(":")[::2])
        if "=" in value:
            parts |= {part.partition("=")[2].strip() for part in value.split(";")}
        for part in sorted(parts, key=len, reverse=True):
            if part == value or len(part) >= _LEAST:
                self._mask_of(part)
                yield part

    def _in_text(self, text: str) -> Iterator[str]:
        """Learn and yield the secrets in a text: of JSON, a form, a query, a header, a command line, XML or hex."""
        if text.lstrip()[:1] in ("{", "["):
            with suppress(ValueError, RecursionError):
                yield from self._walked(json.loads(text), "")
        header = _HEADER.fullmatch(text)
        if header and is_secret_header(header[1]):
            yield from self._added(header[2])
        for name, value in _pairs(text):
            if is_secret_name(name):
                yield from self._added(value)
        for match in (*_USER.finditer(text), *TOKEN.finditer(text)):
            yield from self._added(match[match.lastindex or 0])
        if len(text) >= 2 * _LEAST and _HEX.fullmatch(text):
            yield from self._in_text(bytes.fromhex(text).decode(errors="replace"))


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    """Yield what has a name in a text, with its name."""
    yield from _named(text)
    for match in (*_OPTION.finditer(text), *_ELEMENT.finditer(text), *_PART.finditer(text)):
        yield match[1], match[2]


def _named(text: str, depth: int = 0) -> Iterator[tuple[str, str]]:
    """Yield what has a name before `=` or `:`, also within what has another name, as a query within a URL."""
    for match in _NAMED.finditer(text):
        value = match[_value_group(match)]
        yield match[2], value
        if not is_secret_name(match[2]) and depth < _DEEPEST:
            yield from _named(value, depth + 1)


def _value_group(match: re.Match[str]) -> int:
    """Return the group of `_NAMED` that has the value."""
    return next(number for number in (4, 5, 6) if match[number] is not None)


def _stands_out(value: str) -> bool:
    """Return whether a value is a secret wherever it stands, and not a word of the language."""
    return len(value) >= _LEAST and not (len(value) < _WORD and value.isalpha() and value.islower())


def _is_prose(between: str, value: str) -> bool:
    """Return whether a word behind a name belongs to a sentence: `the value token: an answer of gRPC is not JSON`."""
    return between.startswith(":") and between.endswith(" ") and value.isalpha() and value.islower() and len(value) < 4


def _is_header(value: Any) -> bool:  # noqa: ANN401 - a list
    return len(value) == 2 and all(isinstance(each, str) for each in value) and is_secret_header(value[0])


def _has_text(value: object) -> bool:
    """Return whether there is a text or an object in a list, which the lists of a histogram have not."""
    if isinstance(value, (list, tuple)):
        return any(_has_text(each) for each in (value if len(value) < 100 else (value[0], value[-1])))
    return isinstance(value, (str, Mapping))


def _decoded(text: str) -> str:
    try:
        return base64.b64decode(text, validate=True).decode()
    except ValueError:
        return ""


def _forms(value: str) -> Iterator[str]:
    """Yield how a value can be written, each once."""
    raw = value.encode()
    forms = [value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]]
    forms += [quote(value), quote(value, safe=""), quote_plus(value), raw.hex(), raw.hex().upper()]
    for shift in range(3):
        # Of a longer text in base64, the letters that this value alone decides.
        for encoded in (base64.b64encode(b"\0" * shift + raw), base64.urlsafe_b64encode(b"\0" * shift + raw)):
            sure = encoded.decode()[-(-shift * 8 // 6) : (shift + len(raw)) * 8 // 6]
            forms += [sure] if len(sure) >= _LEAST else []
    yield from dict.fromkeys(forms)


def masks_alike(value: Any) -> Any:  # noqa: ANN401 - JSON
    """Return a value of JSON in which every secret has the same mask."""
    return json.loads(_MASK.sub("***", json.dumps(value)))


SECRETS = Secrets()
"""Those of this program: it has one command line and writes what belongs to it."""
