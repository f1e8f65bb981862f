"""Why calls of a load gather at a latency: what the load itself shows comes before what is usual there."""

from callbench.adapter.contract import Done, Histogram
from callbench.analysis.load.request import LoadRequest
from callbench.stats.estimate.digits import figure, percent
from callbench.stats.estimate.histogram import Buckets
from callbench.stats.steady.plateau import Plateau, plateaus

# Where so many of the calls take as long, most of them do.
_MOST = 0.5
# Of the calls that a pause within their answers explains, so many at least have one.
_SEEN = 0.5
# A call that takes so much less waited for nobody, and the others did.
_ALONE = 0.5


def plateau_sentence(request: LoadRequest, done: Done, server_ns: float = 0.0) -> str:
    """Say at which known place calls gather, and why, without a full stop; "" if they do not.

    A timer is not blamed where an endpoint never takes less, or where clients of a closed loop wait for each other:
    with n of them at a rate X, a call takes n / X by Little's law, wherever that lies. Nor is a pause within answers
    where none was seen: a pool whose calls take 20 ms makes every second caller wait for 40.
    """
    latency = done["latency"]
    gathered = plateaus(Buckets.of(dict(latency["buckets"])), server_ns) if latency else []
    if latency is None or not gathered:
        return _held_back(done)
    place = gathered[0]
    at = f"{percent(place.share)} of the calls took about {place.place}"
    if slow := _always_there(done, place):
        return f"{at}: {slow}"
    # Even then the first call on a connection takes less: it is acknowledged at once.
    if place.within and "held_back" in done and _is_seen(done, place):
        return place.sentence(seen=True)
    alone_ns = latency["min_ns"]
    if request.rate is None and request.clients > 1 and place.share > _MOST and alone_ns < _ALONE * place.low_ns:
        return f"{at}, as {request.clients:,} clients waited for each other: the shortest took {_ms(alone_ns)}"
    looked = "held_back" in done
    return next((other.sentence(seen=looked) for other in gathered if _is_seen(done, other)), "")


def _held_back(done: Done) -> str:
    """Say how many answers came in pieces, where most did; "" otherwise. On a busy machine they gather nowhere."""
    share = done.get("held_back", 0) / max(1, _count(done["latency"]))
    pause = "in pieces with a pause of 37 ms or more, as where Nagle's algorithm waits for a delayed acknowledgement"
    return f"{percent(min(1.0, share))} of the answers came {pause}" if share > _MOST else ""


def _is_seen(done: Done, place: Plateau) -> bool:
    """Whether the calls show what puts them there, as far as the driver looks for it."""
    seen = done.get("held_back")
    return seen is None or not place.within or seen >= _SEEN * place.share * _count(done["latency"])


def _always_there(done: Done, place: Plateau) -> str:
    """Name the endpoints of several whose fastest call lies there; "" if none does."""
    named = [(entry["name"], entry["latency"]) for entry in done.get("endpoints", ())]
    slow = [name for name, latency in named if latency and latency["count"] and latency["min_ns"] >= place.low_ns]
    within = sum(latency["count"] for name, latency in named if latency and name in slow)
    if not slow or within < _MOST * place.share * _count(done["latency"]):
        return ""
    return f"{' and '.join(slow)} never took less"


def _count(latency: Histogram | None) -> int:
    return int(latency["count"]) if latency else 0


def _ms(nanoseconds: float) -> str:
    return f"{figure(nanoseconds / 1e6)} ms"
