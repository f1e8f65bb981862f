/// One drive: what a load loop is given, what its clients share, and what each of them counts. Times are nanoseconds.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>

#include "histogram.hpp"
#include "stack.hpp"

namespace kit {

/// The members of contract/LOOP.md, by its names.
struct Plan {
    std::uint64_t calls = 0;
    std::uint64_t length_ns = 0;
    std::uint64_t limit_ns = 0;
    std::string timing = "auto";
    std::uint64_t think_ns = 0;
    std::uint64_t ramp_up_ns = 0;
    std::uint64_t burn_ns = 0;
    /// Of an open loop, replayed in a circle; none: a closed one.
    std::optional<std::vector<std::uint64_t>> gaps;

    /// When the time is over, since the start.
    [[nodiscard]] std::uint64_t end_ns() const { return std::min(length_ns, limit_ns); }
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Plan, calls, length_ns, limit_ns, timing, think_ns, ramp_up_ns, burn_ns)

/// What all clients of a drive share.
class Drive {
  public:
    Drive(const Plan& the_plan, std::size_t how_many, double a_reading_ns, const std::atomic<bool>& stop)
        : plan(the_plan), clients(how_many), reading_ns(a_reading_ns), stopping(stop), left_(the_plan.calls),
          portion_(std::clamp<std::uint64_t>(the_plan.calls / how_many / 16, 1, 256)) {}

    /// Draws calls from the pool, in portions so that its counter is not fought over at every call; 0 where none is left.
    std::uint64_t draw(std::uint64_t wish) {
        const auto portion = std::max(portion_, wish);
        auto left = left_.load(std::memory_order_relaxed);
        while (left > 0 && !left_.compare_exchange_weak(left, left - std::min(left, portion), std::memory_order_relaxed)) {
        }
        return std::min(left, portion);
    }

    void put_back(std::uint64_t calls) { left_.fetch_add(calls, std::memory_order_relaxed); }

    [[nodiscard]] bool is_drawn() const { return left_.load(std::memory_order_relaxed) == 0; }

    /// Takes the next arrival of the one queue; nothing where it would come after all calls and the length.
    std::optional<std::uint64_t> arrival() {
        const std::scoped_lock alone{lock_};
        const auto due = due_ns_ + (*plan.gaps)[arrived_ % plan.gaps->size()];
        if (arrived_ >= plan.calls && due >= plan.length_ns) {
            return std::nullopt;
        }
        ++arrived_;
        due_ns_ = due;
        return start + due;
    }

    const Plan& plan;
    const std::size_t clients;
    /// On the clock; set before the first client begins.
    std::uint64_t start = 0;
    const double reading_ns;
    const std::atomic<bool>& stopping;
    /// Calls a batch, 1 for each call timed; 0 until the first client knows.
    std::atomic<std::uint64_t> batch{0};

  private:
    std::atomic<std::uint64_t> left_;
    std::uint64_t portion_;
    std::mutex lock_;
    std::uint64_t arrived_ = 0;
    std::uint64_t due_ns_ = 0;
};

/// A moment that calls went beyond: right answers after it, calls under way at it, and the parts of right ones that lay before it.
struct Flight {
    std::uint64_t after = 0;
    std::uint64_t flying = 0;
    double part = 0;

    /// Takes in a call, or a batch of so many right ones, that ended after `moment`.
    void note(std::uint64_t moment, std::uint64_t started, std::uint64_t ended, std::uint64_t right) {
        after += right;
        if (started < moment) {
            const auto before = static_cast<double>(right) * static_cast<double>(moment - started) / static_cast<double>(ended - started);
            // Of a batch, whole calls were answered before.
            const auto whole = static_cast<std::uint64_t>(before);
            after -= whole;
            part += before - static_cast<double>(whole);
            ++flying;
        }
    }

    void merge(const Flight& other) {
        after += other.after;
        flying += other.flying;
        part += other.part;
    }
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Flight, after, flying, part)

/// Calls that ended after the time was over, or even after the limit; `due_later` where one was still due when the time was over.
struct Late {
    bool due_later = false;
    Flight time;
    Flight limit;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Late, due_later, time, limit)

/// What one client has seen, and what all of them together have. On cache lines of its own: the reporter looks at the progress.
struct alignas(128) WorkerStats {
    explicit WorkerStats(bool open) : service(open), lateness(open) {}

    void merge(const WorkerStats& other);

    /// Right and wrong so far; only the client writes them.
    std::atomic<std::uint64_t> right{0};
    std::atomic<std::uint64_t> wrong{0};
    /// By kind; `said` has the first one in words.
    std::map<std::string, std::uint64_t> errors;
    std::map<std::string, std::string> said;
    Histogram latency{true};
    /// Of an open loop.
    Histogram service;
    Histogram lateness;
    std::uint64_t in_call_ns = 0;
    std::uint64_t think_ns = 0;
    std::uint64_t gap_ns = 0;
    /// When the last call ended, and when the thought after it did.
    std::uint64_t ended = 0;
    std::uint64_t left = 0;
    Late late;
    bool gave_up = false;
};

using Stats = std::vector<std::unique_ptr<WorkerStats>>;

Stats stats_of(const Drive& drive, std::size_t clients);

/// `done` of the runner protocol, but for processor time and threads.
Json done(const Drive& drive, Stats& clients);

/// The processor time of the whole process since it began, all its threads together.
Json processor_time();

/// How far a drive is, since its start: calls answered rightly, and errors.
using Report = std::function<void(std::uint64_t at_ns, std::uint64_t calls, std::uint64_t errors)>;

/// Lets each of `calls` be made by a thread of its own as `plan` says, from `start_at_ns` on or as soon as all are awake. Gives `done`.
/// `report` is called ten times a second, and once when the time is over. Throws Failure where a thread cannot be had.
Json driven(const std::vector<Call*>& calls, const Plan& plan, std::uint64_t start_at_ns, const std::atomic<bool>& stopping,
            const Report& report);

/// Plays a golden trace in the same loop: `done` and `made`. Throws Failure where it would never end.
Json traced(const Json& trace, const std::atomic<bool>& stopping);

} // namespace kit
