#include "drive.hpp"

#include <algorithm>
#include <numeric>
#include <system_error>
#include <thread>

#include "seat.hpp"

namespace kit {
namespace {

/// How often the reporter speaks.
constexpr std::uint64_t INTERVAL_NS = 100'000'000;

/// A client's thread, from the gate to its end.
void attend(Prepared& call, Progress& progress, Shared& shared, Tally& tally, std::uint64_t first_after_ns) {
    clock::sharpen_sleeps();
    if (const auto start = shared.gate.wait()) {
        clock::Machine machine;
        Seat{call, progress, shared, tally, machine, *start, first_after_ns}.run();
    }
    shared.gate.leave();
}

/// Reports until every client has ended, and once when the time is over.
void watch(Shared& shared, std::vector<Progress>& progress, std::uint64_t start, const std::function<bool(const Interval&)>& report) {
    auto tick = start + INTERVAL_NS;
    const auto over = start + shared.plan.end_ns();
    auto next = over > start ? std::min(tick, over) : tick;
    while (!shared.gate.await_end(progress.size(), next)) {
        Interval so_far{clock::now() - start, 0, 0};
        for (const auto& its : progress) {
            so_far.calls += its.calls.load(std::memory_order_relaxed);
            so_far.errors += its.errors.load(std::memory_order_relaxed);
        }
        if (!report(so_far)) {
            shared.stopping.store(true);
        }
        if (next == tick) {
            tick += INTERVAL_NS;
        }
        next = over > next ? std::min(tick, over) : tick;
    }
}

} // namespace

void Tally::count_until(std::uint64_t end) {
    gap_ns += end - std::min(left_at, end);
    think_ns -= std::min(think_ns, left_at - std::min(left_at, end));
}

void Tally::merge(const Tally& other) {
    calls += other.calls;
    std::ranges::transform(errors, other.errors, errors.begin(), std::plus{});
    latency.merge(other.latency);
    service.merge(other.service);
    lateness.merge(other.lateness);
    in_call_ns += other.in_call_ns;
    think_ns += other.think_ns;
    gap_ns += other.gap_ns;
    ended_at = std::max(ended_at, other.ended_at);
    late.merge(other.late);
    gave_up = gave_up && other.gave_up;
}

std::uint64_t Tally::error_count() const { return std::accumulate(errors.begin(), errors.end(), std::uint64_t{0}); }

void sum_up(Outcome& outcome, std::vector<Tally>& tallies, const Shared& shared, std::uint64_t start) {
    const auto last = std::ranges::max(tallies, {}, &Tally::ended_at).ended_at;
    std::ranges::for_each(tallies, [last](Tally& its) { its.count_until(last); });
    outcome.total = std::move(tallies.front());
    std::for_each(tallies.begin() + 1, tallies.end(), [&](const Tally& its) { outcome.total.merge(its); });
    outcome.elapsed_ns = std::max<std::uint64_t>(outcome.total.ended_at > start ? outcome.total.ended_at - start : 0, 1);
    outcome.window = outcome.total.late.window({shared.plan.end_ns(), shared.plan.limit_ns}, outcome.elapsed_ns, outcome.total.calls,
                                               outcome.total.gave_up);
    outcome.batch = std::max<std::uint64_t>(shared.batch.load(), 1);
}

Outcome drive(const std::vector<std::unique_ptr<Prepared>>& calls, const Plan& plan, std::atomic<bool>& stopping,
              const std::function<bool(const Interval&)>& report) {
    Shared shared{plan, stopping, calls.size(), clock::reading_ns()};
    std::vector<Progress> progress(calls.size());
    std::vector<Tally> tallies(calls.size());
    Outcome outcome;
    outcome.threads = calls.size();
    std::uint64_t start = 0;
    {
        // Joined at the end of this block, also where one of them cannot be had.
        std::vector<std::jthread> threads;
        threads.reserve(calls.size());
        try {
            for (std::size_t at = 0; at < calls.size(); ++at) {
                threads.emplace_back(
                    [&, at] { attend(*calls[at], progress[at], shared, tallies[at], plan.first_after_ns(at, calls.size())); });
            }
        } catch (const std::system_error& error) {
            shared.gate.abandon();
            throw Failure{Kind::out_of_resources,
                          "client thread " + std::to_string(threads.size() + 1) + " cannot be started: " + error.what()};
        }
        shared.gate.await_clients(calls.size());
        outcome.before = processor_usage();
        start = shared.gate.open(plan.start_at_ns, calls.size());
        watch(shared, progress, start, report);
    }
    outcome.after = processor_usage();
    sum_up(outcome, tallies, shared, start);
    return outcome;
}

} // namespace kit
