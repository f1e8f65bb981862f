#include "seat.hpp"

namespace kit {
namespace {

/// So many calls decide how the rest are timed.
constexpr std::uint64_t HANDFUL = 16;
/// A call of fewer clock readings than this is timed in batches.
constexpr double READINGS = 20;
/// How long a batch should take: long beside a clock reading, short beside an interval.
constexpr double BATCH_NS = 100'000;
/// The most calls a batch.
constexpr double MOST = 4096;
/// A thought is slept but for its last so many nanoseconds.
constexpr std::uint64_t THINK_SPIN_NS = 5'000;
/// Woken so long before an arrival is due, a client is rarely late.
constexpr std::uint64_t ARRIVAL_SPIN_NS = 60'000;
/// A longer wait is cut into pieces, to see whether the drive is still wanted.
constexpr std::uint64_t PIECE_NS = 100'000'000;

/// Calls a batch, given what a typical call took by the clock; 1: each call is timed.
std::uint64_t batch_of(Timing timing, std::optional<std::uint64_t> typical_ns, double reading_ns) {
    // Where not one call of the handful was right, there is nothing to be sharp about.
    if (!typical_ns) {
        return 1;
    }
    const auto typical = static_cast<double>(*typical_ns);
    if (timing == Timing::automatic && typical >= READINGS * reading_ns) {
        return 1;
    }
    return static_cast<std::uint64_t>(std::clamp(BATCH_NS / std::max(typical - reading_ns, 1.0), 1.0, MOST));
}

} // namespace

void Seat::run() {
    if (shared_.arrivals) {
        open();
    } else {
        closed();
    }
}

std::optional<Kind> Seat::made() noexcept {
    try {
        return call_.make() ? std::nullopt : std::optional{Kind::wrong_answer};
    } catch (const Failure& failure) {
        return failure.kind;
    } catch (const std::bad_alloc&) {
        return Kind::out_of_resources;
    } catch (...) {
        return Kind::internal;
    }
}

void Seat::closed() {
    const auto& plan = shared_.plan;
    // Batches have no room to think in; the contract refuses the two together.
    if (plan.timing == Timing::each || plan.think_ns > 0) {
        each(first_thought(), std::numeric_limits<std::uint64_t>::max());
        return;
    }
    if (!each(tally_.ended_at, HANDFUL)) {
        return;
    }
    std::uint64_t size = 0;
    if (shared_.batch.compare_exchange_strong(size, batch_of(plan.timing, tally_.latency.median(), shared_.reading_ns))) {
        size = shared_.batch.load();
    }
    if (size == 1) {
        each(tally_.ended_at, std::numeric_limits<std::uint64_t>::max());
    } else {
        batches(size);
    }
}

std::uint64_t Seat::first_thought() {
    const auto from = tally_.ended_at;
    if (shared_.plan.think_ns == 0) {
        return from;
    }
    const auto begun = clock::wait_until(thinks_until(from, first_at_), THINK_SPIN_NS);
    tally_.think_ns += begun - std::min(begun, from);
    tally_.left_at = begun;
    return begun;
}

bool Seat::each(std::uint64_t from, std::uint64_t most) {
    const auto think_ns = shared_.plan.think_ns;
    auto ended = from;
    for (std::uint64_t turn = 0; turn < most; ++turn) {
        if (admit(ended, 1) == 0) {
            return false;
        }
        const auto started = clock::now();
        const auto wrong = made();
        burn();
        tally_.gap_ns += started - ended;
        const auto due = ended;
        ended = clock::now();
        tally_.in_call_ns += ended - started;
        tally_.ended_at = ended;
        tally_.left_at = ended;
        const auto right = judge(wrong);
        if (right) {
            tally_.latency.record(ended - started);
        }
        if (ended > end_at_) {
            overran(due, started, ended, right ? 1 : 0);
        }
        if (think_ns > 0) {
            const auto thought = clock::wait_until(thinks_until(ended, ended + think_ns), THINK_SPIN_NS);
            tally_.think_ns += thought - ended;
            tally_.left_at = thought;
            // The time that decides whether to go on; `ended_at` stays the end of the last call.
            ended = thought;
        }
    }
    return true;
}

void Seat::batches(std::uint64_t size) {
    auto now = tally_.ended_at;
    while (const auto batch = admit(now, size)) {
        const auto before = tally_.calls;
        const auto started = clock::now();
        for (std::uint64_t turn = 0; turn < batch; ++turn) {
            const auto wrong = made();
            burn();
            if (!judge(wrong) && leaves(started)) {
                break;
            }
        }
        tally_.gap_ns += started - now;
        const auto due = now;
        now = clock::now();
        if (now > end_at_) {
            overran(due, started, now, tally_.calls - before);
        }
        tally_.in_call_ns += now - started;
        tally_.ended_at = now;
        tally_.left_at = now;
    }
}

void Seat::open() {
    const auto& plan = shared_.plan;
    auto idle_since = tally_.ended_at;
    while (const auto due = shared_.arrivals->take(plan.calls, plan.length_ns)) {
        const auto intended = start_ + *due;
        if (!await_arrival(intended)) {
            return;
        }
        const auto started = clock::now();
        const auto wrong = made();
        burn();
        const auto ended = clock::now();
        tally_.in_call_ns += ended - started;
        tally_.ended_at = ended;
        const auto right = judge(wrong);
        if (ended > end_at_) {
            overran(intended, started, ended, right ? 1 : 0);
        }
        if (right) {
            tally_.latency.record(ended - intended);
            tally_.service.record(ended - started);
            // Waiting for a client is the server's fault; only what comes after both are there is the generator's.
            tally_.lateness.record(started - std::max(intended, idle_since));
        }
        idle_since = clock::now();
    }
}

bool Seat::await_arrival(std::uint64_t intended) {
    auto now = clock::now();
    while (now < intended && !leaves(now)) {
        now = clock::wait_until(std::min({intended, now + PIECE_NS, limit_at_}), ARRIVAL_SPIN_NS);
    }
    return !leaves(now);
}

} // namespace kit
