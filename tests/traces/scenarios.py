"""The golden traces: what each plays, and why it is there. Times are nanoseconds."""

from itertools import chain, repeat

from scripted import Call, Plan, Script, Trace

START = Plan().start
US = 1_000
MS = 1_000_000
SECOND = 1_000_000_000
# What the contract lets every kit say; the load driver has more.
KINDS = (
    "timeout",
    "refused",
    "closed",
    "protocol",
    "fault",
    "wrong-answer",
    "too-large",
    "cannot-carry",
    "out-of-resources",
    "bad-request",
    "unsupported",
    "internal",
)
A_FEW = (Call(1_000), Call(2_500), Call(730))


def took(*times: int) -> tuple[Call, ...]:
    return tuple(Call(ns) for ns in times)


def answers(*groups: tuple[int, str]) -> tuple[Call, ...]:
    """Give calls of 1 us: so many of each answer in turn."""
    return tuple(chain.from_iterable(repeat(Call(US, answer), times) for times, answer in groups))


CLOSED = {
    "closed-calls": Trace(
        "The number of calls bounds the drive; the client sleeps before the start.",
        Plan(calls=10),
        Script(A_FEW, clock_start_ns=START - 100 * US),
    ),
    "closed-time": Trace(
        "The time bounds the drive; a call is in flight at its end.", Plan(length_ns=20 * US, calls=1), Script(A_FEW)
    ),
    "closed-calls-after-time": Trace(
        "Calls are due after the time is over: the window ends with the last.",
        Plan(length_ns=5 * US, calls=9),
        Script(A_FEW),
    ),
    "closed-limit": Trace(
        "The limit bounds the drive before its time; a call is in flight at it.",
        Plan(length_ns=SECOND, limit_ns=21_300, calls=1_000_000),
        Script(A_FEW),
    ),
    "closed-at-limit": Trace(
        "A client that may go on 7 ns before the limit begins its call after it: the call is not in flight at it.",
        Plan(length_ns=SECOND, limit_ns=21_000, calls=1_000_000),
        Script(A_FEW),
    ),
    "closed-calls-limit": Trace(
        "Calls are due after the time is over, and the limit ends the drive; a call is in flight at the limit.",
        Plan(length_ns=5 * US, limit_ns=21_300, calls=1_000_000),
        Script(A_FEW),
    ),
    "closed-nothing": Trace(
        "Neither calls nor time: no call is made. The drive ends where the client began, and takes 1 ns at least.",
        Plan(),
        Script(A_FEW, clock_start_ns=START),
    ),
    "closed-late-start": Trace(
        "The client is awake 7 us after the common start, which counts as gap.",
        Plan(calls=3),
        Script(A_FEW, clock_start_ns=START + 7 * US),
    ),
    "closed-clock-0": Trace(
        "A reading of the clock takes no time; a call that ends at the end of the window is not late.",
        Plan(length_ns=4_230, calls=1, reading_ns=0, spin_ns=0),
        Script(A_FEW, clock_start_ns=START, reading_takes_ns=0),
    ),
    "closed-made-1000": Trace(
        "More calls than `made` holds.", Plan(calls=1_030), Script(took(100, 200, 300), clock_start_ns=START)
    ),
    "closed-burn": Trace(
        "Each call is made 2 us longer by spinning; the last readings overshoot.",
        Plan(length_ns=30 * US, burn_ns=2 * US),
        Script(A_FEW, reading_takes_ns=23),
    ),
}

ERRORS = {
    "errors-kinds": Trace(
        "Each kind of error, wrong answers, and right ones between; errors are in no histogram.",
        Plan(length_ns=60 * US, calls=40),
        Script(
            tuple(chain.from_iterable((Call(900, kind), Call(1_100)) for kind in (*KINDS, "wrong"))),
            clock_start_ns=START,
        ),
    ),
    "errors-100-in-a-row": Trace(
        "A client with 100 errors in a row gives up before the time is over, and the window ends with it.",
        Plan(length_ns=SECOND, calls=500),
        Script(answers((3, "right"), (60, "timeout"), (60, "wrong")), clock_start_ns=START),
    ),
    "errors-99-in-a-row": Trace(
        "A right answer after 99 errors: the errors in a row are 0 again.",
        Plan(calls=350),
        Script(answers((99, "closed"), (1, "right")), clock_start_ns=START),
    ),
    "errors-in-flight": Trace(
        "The call in flight at the end goes wrong: it is in flight, and no part of it counts.",
        Plan(length_ns=2_500),
        Script((Call(1_000), Call(2_000, "fault")), clock_start_ns=START),
    ),
}

THINKING = {
    "think-time": Trace(
        "A client thinks after each answer; first thoughts are spread by place; the last thought ends with the drive.",
        Plan(place=2, clients=4, length_ns=400 * US, calls=1, think_ns=50 * US),
        Script(A_FEW),
    ),
    "think-first-by-place": Trace(
        "The first thought of the last of three, rounded down; whatever `timing` says, each call is timed.",
        Plan(place=2, clients=3, length_ns=100 * US, think_ns=10 * US + 1, timing="auto"),
        Script(A_FEW),
    ),
    "think-calls": Trace(
        "After the last call that there is nobody thinks.", Plan(calls=4, think_ns=30 * US), Script(A_FEW)
    ),
    "think-calls-after-time": Trace(
        "While calls are left a thought goes beyond the end.",
        Plan(length_ns=40 * US, calls=4, think_ns=30 * US),
        Script(A_FEW),
    ),
    "think-limit": Trace(
        "No thought goes beyond the limit, and no call begins after it.",
        Plan(length_ns=SECOND, limit_ns=100 * US, calls=100, think_ns=30 * US),
        Script(A_FEW),
    ),
    "think-first-only": Trace(
        "The drive is over before the first thought is: no call is made, and the thought does not count.",
        Plan(place=3, clients=4, length_ns=20 * US, think_ns=100 * US),
        Script(A_FEW),
    ),
    "think-oversleeps": Trace(
        "A sleep ends 60 us late: the thought is longer, and nothing is lost.",
        Plan(length_ns=900 * US, calls=1, think_ns=100 * US),
        Script(A_FEW, oversleeps_ns=60 * US),
    ),
    "think-wrong": Trace(
        "A client thinks after a wrong answer, too.",
        Plan(length_ns=200 * US, think_ns=20 * US),
        Script((Call(1_000), Call(1_500, "wrong"), Call(2_000, "timeout"))),
    ),
}

RAMP_UP = {
    "ramp-up": Trace(
        "The third of four clients begins after half of the ramp-up; its wait is gap.",
        Plan(place=2, clients=4, length_ns=150 * US, ramp_up_ns=100 * US),
        Script(A_FEW),
    ),
    "ramp-up-first": Trace(
        "The first client begins at the common start.",
        Plan(place=0, clients=4, length_ns=20 * US, ramp_up_ns=100 * US),
        Script(A_FEW),
    ),
    "ramp-up-think": Trace(
        "With a ramp-up there is no first thought, but one after each answer. The ramp's part is rounded down.",
        Plan(place=2, clients=3, length_ns=200 * US, ramp_up_ns=100_001, think_ns=40 * US),
        Script(A_FEW),
    ),
    "ramp-up-limit": Trace(
        "The limit comes before the client's turn: no call is made.",
        Plan(place=3, clients=4, length_ns=100 * US, limit_ns=60 * US, ramp_up_ns=100 * US),
        Script(A_FEW),
    ),
    "ramp-up-batches": Trace(
        "Batches after a ramp-up.",
        Plan(place=1, clients=2, length_ns=400 * US, ramp_up_ns=100 * US, timing="auto"),
        Script(took(150, 170, 190)),
    ),
}

BATCHES = {
    "auto-each": Trace(
        "Calls of 20 readings exactly: auto goes on timing each. 451 lies in the bucket from 450 on.",
        Plan(calls=30, timing="auto", reading_ns=22.5),
        Script(took(431), clock_start_ns=START),
    ),
    "auto-batches": Trace(
        "451 lies in the bucket from 450 on, which is less than 20 readings: auto goes on in batches.",
        Plan(length_ns=300 * US, timing="auto", reading_ns=22.53),
        Script(took(431), clock_start_ns=START),
    ),
    "auto-most": Trace(
        "Calls hardly longer than a reading: a batch has 4096 of them.",
        Plan(calls=9_000, timing="auto"),
        Script(took(1), clock_start_ns=START),
    ),
    "auto-all-wrong": Trace(
        "Not one of the first 16 calls is right: auto goes on timing each.",
        Plan(calls=30, timing="auto"),
        Script(answers((20, "wrong"), (5, "right")), clock_start_ns=START),
    ),
    "auto-few": Trace(
        "Fewer calls than the 16 that decide: each is timed.",
        Plan(calls=15, timing="auto"),
        Script(took(30), clock_start_ns=START),
    ),
    "auto-16": Trace(
        "No call after the 16 that decide: the decision is made all the same, and there is no histogram.",
        Plan(calls=16, timing="auto"),
        Script(took(30), clock_start_ns=START),
    ),
    "batch-calls": Trace(
        "The pool bounds the batches: the first has what the client still held, the last what was left.",
        Plan(clients=2, calls=1_000, timing="batch"),
        Script(took(1_000, 1_200), clock_start_ns=START),
    ),
    "batch-long-calls": Trace(
        "Calls of 60 us: a batch has one, so each is timed.",
        Plan(calls=20, timing="batch"),
        Script(took(60 * US), clock_start_ns=START),
    ),
    "batch-in-flight": Trace(
        "A batch is in flight at the end: whole calls of it count by its mean, and the rest as a part.",
        Plan(length_ns=150 * US, calls=1, timing="batch"),
        Script(took(2_000, 2_100, 2_300), clock_start_ns=START),
    ),
    "batch-limit": Trace(
        "A batch is in flight at the limit, and calls of it are wrong.",
        Plan(length_ns=50 * US, limit_ns=200 * US, calls=1_000, timing="batch"),
        Script((Call(2_000), Call(2_100), Call(2_300, "wrong"), Call(1_000)), clock_start_ns=START),
    ),
    "batch-gives-up": Trace(
        "The 100th error in a row stops a batch in its middle.",
        Plan(length_ns=SECOND, calls=1_000, timing="batch"),
        Script(answers((16, "right"), (130, "protocol")), clock_start_ns=START),
    ),
    "batch-burn": Trace(
        "Each call of a batch is made 1 us longer.",
        Plan(calls=300, timing="batch", burn_ns=US),
        Script(took(500), clock_start_ns=START),
    ),
}

OPEN = {
    "open-on-time": Trace(
        "Every arrival finds the client idle; the time bounds the queue.",
        Plan(length_ns=200 * US, gaps=(10 * US, 25 * US, 7 * US), spin_ns=60 * US),
        Script(A_FEW),
    ),
    "open-calls": Trace(
        "The number of calls bounds the queue, after the time is over.",
        Plan(length_ns=20 * US, calls=6, gaps=(10 * US, 25 * US), spin_ns=60 * US),
        Script(A_FEW),
    ),
    "open-server-stalls": Trace(
        "The server stalls once: arrivals wait for the client, which is in the latency and not in the lateness.",
        Plan(length_ns=300 * US, gaps=(10 * US,), spin_ns=60 * US),
        Script(took(2_000, 2_000, 2_000, 100_000, *[2_000] * 40)),
    ),
    "open-generator-oversleeps": Trace(
        "Sleeps end 300 us late, 240 us after the arrival: the lateness has it.",
        Plan(length_ns=3 * MS, gaps=(500 * US,), spin_ns=60 * US),
        Script(A_FEW, oversleeps_ns=300 * US),
    ),
    "open-oversleeps-60": Trace(
        "Sleeps end 60 us late, which the last part of the wait takes in.",
        Plan(length_ns=2 * MS, gaps=(300 * US,), spin_ns=60 * US),
        Script(A_FEW, oversleeps_ns=60 * US),
    ),
    "open-gap-0": Trace(
        "Two arrivals at once: the second one waits for the client.",
        Plan(length_ns=100 * US, gaps=(20 * US, 0), spin_ns=60 * US),
        Script(A_FEW),
    ),
    "open-long-wait": Trace(
        "A wait of 350 ms is cut into pieces of 100 ms.",
        Plan(length_ns=SECOND, gaps=(350 * MS,), spin_ns=60 * US),
        Script(A_FEW, oversleeps_ns=60 * US, reading_takes_ns=50),
    ),
    "open-limit": Trace(
        "The limit comes before the next arrival, which is not made.",
        Plan(length_ns=SECOND, limit_ns=100 * US, gaps=(30 * US,), spin_ns=60 * US),
        Script(A_FEW),
    ),
    "open-in-flight": Trace(
        "An arrival is in flight at the end, and one waited for the client until after it.",
        Plan(length_ns=30 * US, gaps=(10 * US, 15 * US, 2 * US, US), spin_ns=60 * US),
        Script(took(4_000, 8_000)),
    ),
    "open-errors": Trace(
        "Errors of an open loop are in no histogram; one is in flight at the end.",
        Plan(length_ns=85 * US, gaps=(10 * US,), spin_ns=60 * US),
        Script((Call(1_000), Call(1_000, "wrong"), Call(3_000, "timeout"), Call(8_000, "refused"))),
    ),
    "open-gives-up": Trace(
        "100 errors in a row end an open loop.",
        Plan(length_ns=SECOND, gaps=(5 * US,), spin_ns=60 * US),
        Script(answers((1, "right"), (101, "closed"))),
    ),
    "open-burn": Trace(
        "Calls of an open loop are made 3 us longer.",
        Plan(length_ns=100 * US, gaps=(10 * US,), burn_ns=3 * US, spin_ns=60 * US),
        Script(A_FEW),
    ),
    "open-clock-0": Trace(
        "A reading of the clock takes no time, and a sleep ends when it shall: nothing is late.",
        Plan(length_ns=100 * US, gaps=(10 * US,), reading_ns=0, spin_ns=0),
        Script(A_FEW, clock_start_ns=START, reading_takes_ns=0),
    ),
}

HISTOGRAM = {
    "histogram-edges": Trace(
        "The edges of the histogram's buckets, and times beyond the last.",
        Plan(calls=15, limit_ns=100_000 * SECOND, reading_ns=0, spin_ns=0),
        Script(
            took(0, 1, 127, 128, 129, 255, 256, 257, 258, 511, 512, (1 << 42) - 1, 1 << 42, (1 << 42) + 5, 1 << 43),
            clock_start_ns=START,
            reading_takes_ns=0,
        ),
    ),
}

ALL: dict[str, Trace] = {**CLOSED, **ERRORS, **THINKING, **RAMP_UP, **BATCHES, **OPEN, **HISTOGRAM}
