/// Measures what the kit costs per call. It compares slices of two bare clock readings per call with slices of the load loop and a call
/// that does nothing. Both time every call, in one process, in pairs of random order: callbench-cpp-cost [PAIRS]. It prints one JSON
/// object. It also counts allocations while a loop runs; there must be none.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <nlohmann/json.hpp>
#include <random>

#include "../inprocess/stacks.hpp"
#include "../kit/loop.hpp"

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

/// The nanoseconds that the load loop takes for `count` calls: check, histogram, pool, progress, stop rule. `allocated` is the number of
/// allocations.
std::uint64_t driven(kit::Call& call, std::uint64_t count, std::uint64_t& allocated) {
    const std::atomic<bool> stopping{false};
    kit::Plan plan;
    plan.calls = count;
    plan.limit_ns = 60'000'000'000;
    plan.timing = "each";
    kit::Drive drive{plan, 1, 0, stopping};
    kit::WorkerStats stats{false};
    kit::clock::Machine machine;
    drive.start = kit::clock::now() + 1000;
    const auto before = allocations.load();
    kit::ClientLoop{call, drive, stats, machine, 0}.run();
    allocated = allocations.load() - before;
    return stats.ended - drive.start;
}

/// Nanoseconds a call of the load loop.
double loop(kit::Call& call) {
    std::uint64_t allocated = 0;
    return static_cast<double>(driven(call, CALLS, allocated)) / static_cast<double>(CALLS);
}

/// The value `part` of the way up.
double at(std::vector<double> all, double part) {
    std::ranges::sort(all);
    return all.at(static_cast<std::size_t>(part * static_cast<double>(all.size() - 1)));
}

} // namespace

[[gnu::noinline]] void* operator new(std::size_t size) {
    allocations.fetch_add(1, std::memory_order_relaxed);
    if (void* const memory = std::malloc(size == 0 ? 1 : size)) {
        return memory;
    }
    throw std::bad_alloc{};
}

[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }

[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }

int main(int count, char** arguments) {
    const auto pairs = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 1001U;
    const auto clients = inprocess::nothing().connect("nothing", 1, 1000);
    const auto calls = clients->prepare("Empty", kit::Json::array());
    auto& call = *calls.front();
    std::mt19937_64 coin{kit::clock::now()};
    std::vector<double> readings;
    std::vector<double> loops;
    std::vector<double> ratios;
    (void)bare();
    (void)loop(call);
    for (std::uint64_t pair = 0; pair < pairs; ++pair) {
        const bool first = coin() % 2 == 0;
        const double before = first ? bare() : loop(call);
        const double after = first ? loop(call) : bare();
        readings.push_back(first ? before : after);
        loops.push_back(first ? after : before);
        ratios.push_back(loops.back() / readings.back());
    }
    std::uint64_t allocated = 0;
    (void)driven(call, CALLS, allocated);
    const nlohmann::json shown{{"pairs", pairs},
                               {"calls_a_slice", CALLS},
                               {"two_readings_ns", at(readings, 0.5)},
                               {"load_loop_ns", at(loops, 0.5)},
                               {"ratio", at(ratios, 0.5)},
                               {"ratio_quartiles", {at(ratios, 0.25), at(ratios, 0.75)}},
                               {"allocations", allocated}};
    std::printf("%s\n", shown.dump().c_str());
    return 0;
}
