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
    /// The gaps of an open loop. After the last, the first follows. Empty for a closed loop.
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

    /// Takes calls from the pool in portions, so that threads rarely compete for the counter; 0 if none is left.
    std::uint64_t draw(std::uint64_t wanted) {
        const auto portion = std::max(portion_, wanted);
        auto left = left_.load(std::memory_order_relaxed);
        while (left > 0 && !left_.compare_exchange_weak(left, left - std::min(left, portion), std::memory_order_relaxed)) {
        }
        return std::min(left, portion);
    }

    void put_back(std::uint64_t calls) { left_.fetch_add(calls, std::memory_order_relaxed); }

    [[nodiscard]] bool is_drawn() const { return left_.load(std::memory_order_relaxed) == 0; }

    /// Takes the next arrival; nothing if all calls have arrived and the length is over.
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

/// A moment: correct answers after it, calls in flight at it, and the fractions of correct ones before it.
struct Flight {
    std::uint64_t after = 0;
    std::uint64_t flying = 0;
    double part = 0;

    /// Counts a call, or a batch of `right` correct ones, that ended after `moment`.
    void note(std::uint64_t moment, std::uint64_t started, std::uint64_t ended, std::uint64_t right) {
        after += right;
        if (started < moment) {
            const auto before = static_cast<double>(right) * static_cast<double>(moment - started) / static_cast<double>(ended - started);
            // The calls of a batch that were complete before the moment.
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

/// Calls that ended after the time was over, or after the limit; `due_later`: whether a call was due after the time was over.
struct Late {
    bool due_later = false;
    Flight time;
    Flight limit;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Late, due_later, time, limit)

/// The statistics of one client, and of all of them. On its own cache lines, because the reporter reads the progress.
struct alignas(128) WorkerStats {
    explicit WorkerStats(bool open) : service(open), lateness(open) {}

    void merge(const WorkerStats& other);

    /// Right and wrong so far; only the client writes them.
    std::atomic<std::uint64_t> right{0};
    std::atomic<std::uint64_t> wrong{0};
    /// By kind; `error_messages` has the first one in words.
    std::map<std::string, std::uint64_t> errors;
    std::map<std::string, std::string> error_messages;
    Histogram latency{true};
    /// Of an open loop.
    Histogram service;
    Histogram lateness;
    std::uint64_t in_call_ns = 0;
    std::uint64_t think_ns = 0;
    std::uint64_t gap_ns = 0;
    /// When the last call ended, and when the think time after it ended.
    std::uint64_t ended = 0;
    std::uint64_t left = 0;
    Late late;
    bool gave_up = false;
};

using Stats = std::vector<std::unique_ptr<WorkerStats>>;

Stats stats_of(const Drive& drive, std::size_t clients);

/// `done` of the runner protocol, without processor time and threads.
Json done(const Drive& drive, Stats& clients);

/// The processor time of all threads of the process so far.
Json processor_time();

/// How far a drive is, since its start: calls answered rightly, and errors.
using Report = std::function<void(std::uint64_t at_ns, std::uint64_t calls, std::uint64_t errors)>;

/// Makes each of `calls` on its own thread according to `plan`, from `start_at_ns` on or as soon as all threads are awake. Returns `done`.
/// `report` is called ten times a second, and once when the time is over. Throws Failure if a thread cannot be created.
Json driven(const std::vector<Call*>& calls, const Plan& plan, std::uint64_t start_at_ns, const std::atomic<bool>& stopping,
            const Report& report);

/// Replays a golden trace in the same loop: `done` and `made`. Throws Failure if it would never end.
Json traced(const Json& trace, const std::atomic<bool>& stopping);

} // namespace kit
