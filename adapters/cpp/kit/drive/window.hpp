/// What lies within the window of a drive: the time that a rate is a rate of. A call in flight at its end counts by the part of its own
/// time that lay before.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace kit {

/// From the common start until the time is over, or, of a drive bound by its number of calls, to the last end.
struct Window {
    std::uint64_t ns = 0;
    /// Answered rightly within it.
    std::uint64_t answered = 0;
    /// Begun within it and ended later, rightly or wrongly.
    std::uint64_t in_flight = 0;
    /// Of those that were answered rightly: the parts of their time that lay within it, added up.
    double in_flight_part = 0;
};

/// A moment that calls went beyond, and what of them lay before it.
struct Flight {
    /// Right answers that came after it.
    std::uint64_t after = 0;
    /// Calls, right or wrong, that had begun and not ended.
    std::uint64_t flying = 0;
    double part = 0;

    /// Takes in a call, or a batch of so many right ones, that ended after `end`.
    void note(std::uint64_t end, std::uint64_t started, std::uint64_t ended, std::uint64_t right) {
        after += right;
        if (started < end) {
            const auto before = static_cast<double>(right) * static_cast<double>(end - started) / static_cast<double>(ended - started);
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

/// The calls of a client that ended late: after the time was over, or even after the limit.
struct Late {
    /// Whether a call was due when the time was over: the number of calls bounds the drive, then, not its time.
    bool due_later = false;
    Flight time;
    Flight limit;

    /// Takes in what ended after the time was over, at the first of `ends`; the second is the limit.
    void note(std::array<std::uint64_t, 2> ends, std::uint64_t due, std::uint64_t started, std::uint64_t ended, std::uint64_t right) {
        if (due >= ends[0]) {
            due_later = true;
        } else {
            time.note(ends[0], started, ended, right);
        }
        if (ended > ends[1]) {
            limit.note(ends[1], started, ended, right);
        }
    }

    void merge(const Late& other) {
        due_later = due_later || other.due_later;
        time.merge(other.time);
        limit.merge(other.limit);
    }

    /// The window of a drive that has ended after `elapsed_ns`; `ends_ns` are its time and its limit since the start. Where all clients
    /// gave up before the time was over, it ends with them.
    [[nodiscard]] Window window(std::array<std::uint64_t, 2> ends_ns, std::uint64_t elapsed_ns, std::uint64_t calls, bool gave_up) const {
        const auto& flight = due_later ? limit : time;
        auto ns = ends_ns[0];
        if (due_later) {
            ns = std::min(elapsed_ns, ends_ns[1]);
        } else if (gave_up) {
            ns = std::min(elapsed_ns, ends_ns[0]);
        }
        return {std::max<std::uint64_t>(ns, 1), calls - flight.after, flight.flying, flight.part};
    }
};

} // namespace kit
