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

void Machine::sleep_until(std::uint64_t moment) {
    const timespec at{static_cast<time_t>(moment / 1'000'000'000U), static_cast<long>(moment % 1'000'000'000U)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr);
}

void sharpen_sleeps() { prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); }

} // namespace kit::clock
