/// What the kit costs a call: slices of two bare clock readings a call against slices of the load loop driving a call that does nothing,
/// both with every call timed, in one process, in pairs whose order is drawn: callbench-cpp-cost [PAIRS]. Prints one JSON object. Counts
/// what is allocated while a loop runs, too: nothing may be.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <nlohmann/json.hpp>

#include "clock.hpp"
#include "direct.hpp"
#include "drive/drive.hpp"
#include "service/splitmix.hpp"

namespace {

std::atomic<std::uint64_t> allocations{0};

/// About 1 ms a slice: most slices then see no other program, even on a machine that is not idle.
constexpr std::uint64_t CALLS = 20'000;

/// Nanoseconds a call of a loop that does nothing but read the clock twice.
double bare() {
    const auto start = kit::clock::now();
    std::uint64_t sum = 0;
    for (std::uint64_t turn = 0; turn < CALLS; ++turn) {
        const auto started = kit::clock::now();
        const auto ended = kit::clock::now();
        sum += ended - started;
    }
    volatile std::uint64_t seen = sum;
    (void)seen;
    return static_cast<double>(kit::clock::now() - start) / static_cast<double>(CALLS);
}

kit::Outcome driven(const std::vector<std::unique_ptr<kit::Prepared>>& calls, std::uint64_t count) {
    std::atomic<bool> stopping{false};
    kit::Plan plan;
    plan.calls = count;
    plan.limit_ns = 60'000'000'000;
    plan.timing = kit::Timing::each;
    return kit::drive(calls, plan, stopping, [](const kit::Interval&) { return true; });
}

/// Nanoseconds a call of the load loop: check, histogram, pool, progress, stop rule, everything.
double loop(const std::vector<std::unique_ptr<kit::Prepared>>& calls) {
    return static_cast<double>(driven(calls, CALLS).elapsed_ns) / static_cast<double>(CALLS);
}

/// The value `part` of the way up.
double at(std::vector<double> all, double part) {
    std::ranges::sort(all);
    return all.at(static_cast<std::size_t>(part * static_cast<double>(all.size() - 1)));
}

} // namespace

void* operator new(std::size_t size) {
    allocations.fetch_add(1, std::memory_order_relaxed);
    if (void* const memory = std::malloc(size == 0 ? 1 : size)) {
        return memory;
    }
    throw std::bad_alloc{};
}

void operator delete(void* memory) noexcept { std::free(memory); }

void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }

int main(int count, char** arguments) {
    const auto pairs = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 1001U;
    const auto stack = kit::nothing();
    const auto clients = stack->connect({"nothing", 1, std::chrono::seconds{1}});
    std::vector<std::unique_ptr<kit::Prepared>> calls;
    calls.push_back(clients.all.front()->prepare(kit::Empty{}));
    kit::SplitMix64 coin{kit::clock::now()};
    std::vector<double> readings;
    std::vector<double> loops;
    std::vector<double> ratios;
    (void)bare();
    (void)loop(calls);
    for (std::uint64_t pair = 0; pair < pairs; ++pair) {
        const bool first = coin.draw(2) == 0;
        const double before = first ? bare() : loop(calls);
        const double after = first ? loop(calls) : bare();
        readings.push_back(first ? before : after);
        loops.push_back(first ? after : before);
        ratios.push_back(loops.back() / readings.back());
    }
    // What a drive allocates does not depend on how many calls it makes.
    const auto allocated_by = [&](std::uint64_t calls_made) {
        const auto before = allocations.load();
        (void)driven(calls, calls_made);
        return allocations.load() - before;
    };
    const auto few = allocated_by(CALLS);
    const auto many = allocated_by(CALLS * 10);
    const nlohmann::json shown{{"pairs", pairs},
                               {"calls_a_slice", CALLS},
                               {"two_readings_ns", at(readings, 0.5)},
                               {"load_loop_ns", at(loops, 0.5)},
                               {"ratio", at(ratios, 0.5)},
                               {"ratio_quartiles", {at(ratios, 0.25), at(ratios, 0.75)}},
                               {"allocations_of_20000_calls", few},
                               {"allocations_of_200000_calls", many}};
    std::printf("%s\n", shown.dump().c_str());
    return 0;
}
