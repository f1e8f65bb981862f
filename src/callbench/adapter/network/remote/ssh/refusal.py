"""Why ssh started no agent, in one sentence with the remedy."""

import re
from collections.abc import Iterator

from callbench.adapter.network.remote.ssh.place import SshPlace

CONNECT_SECONDS = 4
# Exit codes: of ssh itself, and of a shell that cannot start a program.
_OF_SSH, _NOT_STARTED = 255, {126, 127}
_SENTENCES = {
    "Could not resolve hostname": "ssh finds no host {host}: correct the name, or give its address in ~/.ssh/config",
    "IDENTIFICATION HAS CHANGED": "the host key of {host} has changed, so another machine may answer: find out why,"
    " and then remove the old key with `ssh-keygen -R {host}`",
    "Host key verification failed": "the host key of {host} is not known here: connect once with `ssh {target}`, and"
    " compare the fingerprint",
    "Permission denied": "{host} refuses the key of ssh: see that `ssh -o BatchMode=yes {target}` enters without a"
    " password",
    "Too many authentication failures": "{host} refuses the keys of ssh: name the right one in ~/.ssh/config, with"
    " IdentitiesOnly",
    "timed out": "{host} does not answer ssh within {seconds} s: a firewall may drop what is sent there, so open the"
    " TCP port of its ssh",
    "Connection refused": "nobody listens for ssh on {host}: start sshd there, or give its port in ~/.ssh/config",
    "No route to host": "no network leads to {host}: see that `ping {host}` is answered",
}


def why_not(place: SshPlace, code: int | None, said: str) -> str:
    """Return why there is no agent.

    Args:
        place: where it was to be.
        code: the exit code of ssh; None: it was ended.
        said: what ssh and the program there wrote on stderr.
    """
    if code in _NOT_STARTED:
        return (
            f"{place.host} has no program {place.program}: install Callbench there, or say where it is:"
            f" ssh:{place.target}:/PATH/OF/callbench"
        )
    last = next(_lines(said), f"exit code {code}")
    if code != _OF_SSH:
        return f"host {place.name}: {last}"
    for part, sentence in _SENTENCES.items():
        if part in said:
            return sentence.format(host=place.host, target=place.target, seconds=CONNECT_SECONDS)
    return f"ssh to {place.host} ended ({last}): see that `ssh {place.target} true` works"


def _lines(said: str) -> Iterator[str]:
    """Yield the lines of stderr from the last one on, without our name."""
    for line in reversed(said.splitlines()):
        if text := re.sub(r"^callbench: ", "", line).strip().rstrip("."):
            yield text
