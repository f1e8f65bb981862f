#include "seat.hpp"

#include "trace.hpp"

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
/// How long before the common start a client stops sleeping and spins.
constexpr std::uint64_t START_SPIN_NS = 30'000;
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

Kind kind_of_caught() noexcept {
    try {
        throw;
    } catch (const Failure& failure) {
        return failure.kind;
    } catch (const std::bad_alloc&) {
        return Kind::out_of_resources;
    } catch (...) {
        return Kind::internal;
    }
}

template <typename Clock>
void Seat<Clock>::run() {
    tally_.ended_at = clock::wait_until(clock_, start_, START_SPIN_NS);
    tally_.left_at = tally_.ended_at;
    tally_.gap_ns = tally_.ended_at - start_;
    if (shared_.arrivals) {
        open();
    } else {
        closed();
    }
}

template <typename Clock>
void Seat<Clock>::closed() {
    const auto& plan = shared_.plan;
    const auto begun = begin();
    // Batches have no room to think in; the contract refuses the two together.
    if (plan.timing == Timing::each || plan.think_ns > 0) {
        each(begun, std::numeric_limits<std::uint64_t>::max());
        return;
    }
    if (!each(begun, HANDFUL)) {
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

template <typename Clock>
std::uint64_t Seat<Clock>::begin() {
    const auto from = tally_.ended_at;
    const auto spin_ns = clock_.spin_ns(THINK_SPIN_NS);
    if (shared_.plan.ramp_up_ns > 0) {
        const auto begun = clock::wait_until(clock_, first_at_, spin_ns);
        tally_.gap_ns += begun - from;
        tally_.ended_at = begun;
        tally_.left_at = begun;
        return begun;
    }
    if (shared_.plan.think_ns > 0) {
        const auto begun = clock::wait_until(clock_, thinks_until(from, first_at_), spin_ns);
        tally_.think_ns += begun - from;
        tally_.left_at = begun;
        return begun;
    }
    return from;
}

template <typename Clock>
bool Seat<Clock>::each(std::uint64_t from, std::uint64_t most) {
    const auto think_ns = shared_.plan.think_ns;
    auto ended = from;
    for (std::uint64_t turn = 0; turn < most; ++turn) {
        if (admit(ended, 1) == 0) {
            return false;
        }
        const auto started = clock_.now();
        const auto wrong = make();
        burn();
        tally_.gap_ns += started - ended;
        const auto due = ended;
        ended = clock_.now();
        clock_.made(started, ended);
        tally_.in_call_ns += ended - started;
        tally_.ended_at = ended;
        tally_.left_at = ended;
        const auto right = judge(checked(wrong));
        if (right) {
            tally_.latency.record(ended - started);
        }
        if (ended > end_at_) {
            overran(due, started, ended, right ? 1 : 0);
        }
        if (think_ns > 0) {
            const auto thought = clock::wait_until(clock_, thinks_until(ended, ended + think_ns), clock_.spin_ns(THINK_SPIN_NS));
            tally_.think_ns += thought - ended;
            tally_.left_at = thought;
            // The time that decides whether to go on; `ended_at` stays the end of the last call.
            ended = thought;
        }
    }
    return true;
}

template <typename Clock>
void Seat<Clock>::batches(std::uint64_t size) {
    auto now = tally_.ended_at;
    while (const auto batch = admit(now, size)) {
        const auto before = tally_.calls;
        const auto started = clock_.now();
        for (std::uint64_t turn = 0; turn < batch; ++turn) {
            const auto wrong = make();
            burn();
            if (!judge(checked(wrong)) && leaves(started)) {
                break;
            }
        }
        tally_.gap_ns += started - now;
        const auto due = now;
        now = clock_.now();
        clock_.made(started, now);
        if (now > end_at_) {
            overran(due, started, now, tally_.calls - before);
        }
        tally_.in_call_ns += now - started;
        tally_.ended_at = now;
        tally_.left_at = now;
    }
}

template <typename Clock>
void Seat<Clock>::open() {
    const auto& plan = shared_.plan;
    auto idle_since = tally_.ended_at;
    while (const auto due = shared_.arrivals->take(plan.calls, plan.length_ns)) {
        const auto intended = start_ + *due;
        if (!await_arrival(intended)) {
            return;
        }
        const auto started = clock_.now();
        const auto wrong = make();
        burn();
        const auto ended = clock_.now();
        clock_.made(started, ended);
        tally_.in_call_ns += ended - started;
        tally_.ended_at = ended;
        const auto right = judge(checked(wrong));
        if (ended > end_at_) {
            overran(intended, started, ended, right ? 1 : 0);
        }
        if (right) {
            tally_.latency.record(ended - intended);
            tally_.service.record(ended - started);
            // Waiting for a client is the server's fault; only what comes after both are there is the generator's.
            tally_.lateness.record(started - std::max(intended, idle_since));
        }
        idle_since = clock_.now();
    }
}

template <typename Clock>
bool Seat<Clock>::await_arrival(std::uint64_t intended) {
    auto now = clock_.now();
    while (now < intended && !leaves(now)) {
        now = clock::wait_until(clock_, std::min({intended, now + PIECE_NS, limit_at_}), clock_.spin_ns(ARRIVAL_SPIN_NS));
    }
    return !leaves(now);
}

template class Seat<clock::Machine>;
template class Seat<ScriptedClock>;

} // namespace kit
