#include "clock.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace kit::clock {

std::uint64_t resolution_ns() {
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

double reading_ns() {
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

std::uint64_t wait_until(std::uint64_t target, std::uint64_t spin_ns) {
    for (;;) {
        const auto time = now();
        if (time >= target) {
            return time;
        }
        if (target - time > spin_ns) {
            const auto wake = target - spin_ns;
            const timespec at{static_cast<time_t>(wake / 1'000'000'000U), static_cast<long>(wake % 1'000'000'000U)};
            // A signal may end it early: the loop looks again.
            clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr);
        }
    }
}

void burn(std::uint64_t length_ns) {
    const auto end = now() + length_ns;
    while (now() < end) {
    }
}

void sharpen_sleeps() { prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); }

} // namespace kit::clock
