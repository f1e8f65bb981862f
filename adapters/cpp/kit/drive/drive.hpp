/// The load loop: clients that call, each again when it is answered, or when a schedule says so. One thread a client. Nothing is
/// allocated and no lock is taken between two calls of a closed loop.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "../failure.hpp"
#include "../histogram.hpp"
#include "../processor.hpp"
#include "../stack.hpp"
#include "schedule.hpp"
#include "window.hpp"

namespace kit {

/// How calls are timed: two clock readings a call, two a batch, or a batch where a call takes less than 20 readings.
enum class Timing { each, batch, automatic };

/// One drive. Times are nanoseconds.
struct Plan {
    /// It ends when so many calls have been made, right or wrong, and `length_ns` have passed.
    std::uint64_t calls = 0;
    std::uint64_t length_ns = 0;
    /// It ends after so long in any case.
    std::uint64_t limit_ns = 0;
    Timing timing = Timing::automatic;
    std::uint64_t think_ns = 0;
    /// An open loop; none: a closed one.
    std::optional<Schedule> schedule;
    /// The common start, on the monotonic clock; in the past: at once.
    std::uint64_t start_at_ns = 0;
    /// Every call keeps its client busy for so much longer: a slower client stack, to see what the rate owes to it.
    std::uint64_t burn_ns = 0;
    /// Of a closed loop: so long it takes until all clients call; they begin evenly spread over it.
    std::uint64_t ramp_up_ns = 0;

    /// When the time is over, since the start.
    [[nodiscard]] std::uint64_t end_ns() const { return std::min(length_ns, limit_ns); }

    /// How long after the common start the client at `place` of so many makes its first call. Those who think are not in step: without
    /// a ramp-up the first thoughts end evenly spread over one of them.
    [[nodiscard]] std::uint64_t first_after_ns(std::size_t place, std::size_t clients) const {
        return ramp_up_ns > 0 ? share(ramp_up_ns, place, clients) : share(think_ns, 2 * place + 1, 2 * clients);
    }

  private:
    /// `whole` * `part` / `of`, rounded down, with no overflow between.
    static std::uint64_t share(std::uint64_t whole, std::uint64_t part, std::uint64_t of) {
        return whole / of * part + whole % of * part / of;
    }
};

/// How far a drive is: since the start.
struct Interval {
    std::uint64_t at_ns = 0;
    std::uint64_t calls = 0;
    std::uint64_t errors = 0;
};

using Errors = std::array<std::uint64_t, KIND_NAMES.size()>;

/// What one client has seen, and what all of them together have.
struct Tally {
    /// Answered rightly.
    std::uint64_t calls = 0;
    Errors errors{};
    Histogram latency;
    /// Of an open loop only.
    Histogram service;
    Histogram lateness;
    std::uint64_t in_call_ns = 0;
    std::uint64_t think_ns = 0;
    /// Of a closed loop: between calls, by the same readings that end one and begin the next.
    std::uint64_t gap_ns = 0;
    /// When the last call ended.
    std::uint64_t ended_at = 0;
    /// When the last call, or the thought after it, ended.
    std::uint64_t left_at = 0;
    Late late;
    /// Whether it left before the drive was over.
    bool gave_up = false;

    /// Counts to the end of the drive: who was done earlier stood idle, and a thought beyond the end is not part of it.
    void count_until(std::uint64_t end);

    void merge(const Tally& other);
    [[nodiscard]] std::uint64_t error_count() const;
};

/// What a drive came to.
struct Outcome {
    Tally total;
    std::uint64_t elapsed_ns = 0;
    Window window;
    /// Calls a batch; 1 where each call was timed.
    std::uint64_t batch = 1;
    Usage before;
    Usage after;
    std::size_t threads = 0;
};

struct Shared;

/// Adds up what the clients have seen, into all of an outcome but processor time and threads.
void sum_up(Outcome& outcome, std::vector<Tally>& tallies, const Shared& shared, std::uint64_t start);

/// Lets each of `calls` be made by a thread of its own as `plan` says. `report` is called ten times a second on the caller's thread; when
/// it gives false, or `stopping` is raised, the drive ends early. Throws Failure where a thread cannot be had.
Outcome drive(const std::vector<std::unique_ptr<Prepared>>& calls, const Plan& plan, std::atomic<bool>& stopping,
              const std::function<bool(const Interval&)>& report);

} // namespace kit
