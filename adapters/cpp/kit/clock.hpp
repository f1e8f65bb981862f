/// The monotonic clock: reading it, what a reading costs, and waiting for a moment of it. Times are nanoseconds.
#pragma once

#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <numeric>

namespace kit::clock {

/// The same for every process of a machine.
inline std::uint64_t now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(time.tv_nsec);
}

/// The step of the clock: the greatest common divisor of a thousand differences. The kernel's own figure is 1 even where the
/// hardware ticks in hundreds.
inline std::uint64_t resolution_ns() {
    std::uint64_t step = 0;
    for (int turn = 0; turn < 1000; ++turn) {
        const auto first = now();
        auto next = now();
        while (next == first) {
            next = now();
        }
        step = std::gcd(step, next - first);
    }
    return step;
}

/// The cost of one reading: the median of 51 rounds, which interruptions do not move.
inline double reading_ns() {
    constexpr int readings = 400;
    std::array<std::uint64_t, 51> rounds{};
    for (auto& round : rounds) {
        const auto start = now();
        auto last = start;
        for (int turn = 0; turn < readings; ++turn) {
            last = now();
        }
        round = last - start;
    }
    std::ranges::sort(rounds);
    return static_cast<double>(rounds.at(rounds.size() / 2)) / readings;
}

/// Makes the calling thread's sleeps end as soon as the kernel can, instead of up to 50 us later.
inline void sharpen_sleeps() { prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); }

/// The machine's clock for a load loop. A golden trace has a scripted clock with the same interface.
struct Machine {
    static std::uint64_t now() { return clock::now(); }

    /// Sleeps until `moment`, or until a signal comes.
    static void sleep_until(std::uint64_t moment) {
        const timespec at{static_cast<time_t>(moment / 1'000'000'000U), static_cast<long>(moment % 1'000'000'000U)};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr);
    }

    /// The last part of a wait, which is not slept; `usual` is what waits of this kind need.
    static std::uint64_t spin_ns(std::uint64_t usual) { return usual; }

    /// Is given the two readings around each call or batch.
    static void made(std::uint64_t /*started*/, std::uint64_t /*ended*/) {}
};

/// Waits until `target`. It sleeps, but spins for the last `spin_ns`. Returns the reading that ended the wait.
template <typename Clock>
std::uint64_t wait_until(Clock& by, std::uint64_t target, std::uint64_t spin_ns) {
    for (;;) {
        const auto time = by.now();
        if (time >= target) {
            return time;
        }
        if (target - time > spin_ns) {
            by.sleep_until(target - spin_ns);
        }
    }
}

/// Keeps the processor busy for this time. If it is 0, the clock is not read.
template <typename Clock>
void burn(Clock& by, std::uint64_t length_ns) {
    if (length_ns > 0) {
        const auto end = by.now() + length_ns;
        while (by.now() < end) {
        }
    }
}

} // namespace kit::clock
