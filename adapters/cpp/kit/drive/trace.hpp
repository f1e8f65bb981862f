/// Golden traces: one client's loop with a scripted clock and a scripted stack, as contract/LOOP.md has it. Times are nanoseconds.
#pragma once

#include <algorithm>
#include <array>

#include "drive.hpp"

namespace kit {

/// How long a call takes, and what goes wrong in it.
struct ScriptedCall {
    std::uint64_t takes_ns = 0;
    std::optional<Kind> wrong;
};

/// One client, where it stands among how many, and what clock and stack do.
struct Trace {
    Plan plan;
    std::size_t place = 0;
    std::size_t clients = 1;
    std::uint64_t start = 0;
    double reading_ns = 0;
    std::uint64_t spin_ns = 0;
    std::uint64_t clock_start_ns = 0;
    std::uint64_t reading_takes_ns = 0;
    std::uint64_t oversleeps_ns = 0;
    /// Taken in a circle; at least one.
    std::vector<ScriptedCall> calls;
};

using Readings = std::array<std::uint64_t, 2>;

/// What came of a trace, and the readings around the first 1,000 calls or batches.
struct Traced {
    Outcome outcome;
    std::vector<Readings> made;
};

/// Each reading gives the time and then takes a while. Of the shape of clock::Machine.
class ScriptedClock {
  public:
    explicit ScriptedClock(const Trace& trace) : trace_(trace), time_(trace.clock_start_ns) {}

    std::uint64_t now() {
        const auto reading = time_;
        time_ += trace_.reading_takes_ns;
        return reading;
    }

    void sleep_until(std::uint64_t moment) { time_ = std::max(time_, moment + trace_.oversleeps_ns); }

    [[nodiscard]] std::uint64_t spin_ns(std::uint64_t /*usual*/) const { return trace_.spin_ns; }

    void made(std::uint64_t started, std::uint64_t ended) {
        if (made_.size() < MOST_MADE) {
            made_.push_back({started, ended});
        }
    }

    /// A call takes so long.
    void pass(std::uint64_t takes_ns) { time_ += takes_ns; }

    [[nodiscard]] const std::vector<Readings>& made() const { return made_; }

  private:
    static constexpr std::size_t MOST_MADE = 1000;

    const Trace& trace_;
    std::uint64_t time_;
    std::vector<Readings> made_;
};

/// Plays a trace. Throws bad_request where it would never end.
Traced replay(const Trace& trace, std::atomic<bool>& stopping);

} // namespace kit
