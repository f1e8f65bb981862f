#include "drive.hpp"

#include <sys/resource.h>

#include <chrono>
#include <condition_variable>
#include <future>
#include <latch>
#include <stop_token>
#include <thread>

#include "loop.hpp"

namespace kit {
namespace {

/// How often the reporter speaks.
constexpr std::uint64_t INTERVAL_NS = 100'000'000;

/// Reports until the drive is `over`, and once when its time is.
void watch(const std::stop_token& over, const Drive& drive, const Stats& clients, const Report& report) {
    std::mutex lock;
    std::unique_lock alone{lock};
    std::condition_variable_any never;
    const auto is_over_by = [&](std::uint64_t moment) {
        const std::chrono::steady_clock::time_point until{std::chrono::nanoseconds{moment}};
        never.wait_until(alone, over, until, [] { return false; });
        return over.stop_requested();
    };
    const auto end = drive.start + drive.plan.end_ns();
    auto tick = drive.start + INTERVAL_NS;
    auto next = end > drive.start ? std::min(tick, end) : tick;
    while (!is_over_by(next)) {
        std::uint64_t right = 0;
        std::uint64_t wrong = 0;
        for (const auto& its : clients) {
            right += its->right.load(std::memory_order_relaxed);
            wrong += its->wrong.load(std::memory_order_relaxed);
        }
        report(clock::now() - drive.start, right, wrong);
        tick += next == tick ? INTERVAL_NS : 0;
        next = end > next ? std::min(tick, end) : tick;
    }
}

Json shown(const Histogram& it) {
    Json buckets = Json::array();
    for (std::size_t index = 0; index < it.buckets.size(); ++index) {
        if (it.buckets[index] > 0) {
            buckets.push_back({index, it.buckets[index]});
        }
    }
    return {{"count", it.count},
            {"sum_ns", std::to_string(it.sum)},
            {"min_ns", it.count == 0 ? 0 : it.least},
            {"max_ns", it.greatest},
            {"buckets", std::move(buckets)}};
}

} // namespace

void WorkerStats::merge(const WorkerStats& other) {
    right += other.right;
    for (const auto& [kind, count] : other.errors) {
        errors[kind] += count;
    }
    error_messages.insert(other.error_messages.begin(), other.error_messages.end());
    latency.merge(other.latency);
    service.merge(other.service);
    lateness.merge(other.lateness);
    in_call_ns += other.in_call_ns;
    think_ns += other.think_ns;
    gap_ns += other.gap_ns;
    late.due_later = late.due_later || other.late.due_later;
    late.time.merge(other.late.time);
    late.limit.merge(other.late.limit);
    gave_up = gave_up && other.gave_up;
}

Stats stats_of(const Drive& drive, std::size_t clients) {
    Stats all(clients);
    std::ranges::generate(all, [&] { return std::make_unique<WorkerStats>(drive.plan.gaps.has_value()); });
    return all;
}

Json done(const Drive& drive, Stats& clients) {
    const auto last = (*std::ranges::max_element(clients, {}, [](const auto& its) { return its->ended; }))->ended;
    auto& total = *clients.front();
    for (const auto& its : clients) {
        // Clients that were done earlier were idle, and think time after the end does not count.
        its->gap_ns += last - std::min(its->left, last);
        its->think_ns -= std::min(its->think_ns, its->left - std::min(its->left, last));
        if (its != clients.front()) {
            total.merge(*its);
        }
    }
    const bool open = drive.plan.gaps.has_value();
    const auto batch = std::max<std::uint64_t>(drive.batch.load(), 1);
    return {{"is", "done"},
            {"calls", total.right.load()},
            {"errors", total.errors},
            {"error_messages", total.error_messages},
            {"elapsed_ns", last > drive.start ? last - drive.start : 1},
            {"batch", batch},
            {"latency", batch > 1 ? Json{} : shown(total.latency)},
            {"service", open ? shown(total.service) : Json{}},
            {"lateness", open ? shown(total.lateness) : Json{}},
            {"in_call_ns", std::to_string(total.in_call_ns)},
            {"think_ns", std::to_string(total.think_ns)},
            {"gap_ns", open ? Json{} : Json(std::to_string(total.gap_ns))},
            {"late", total.late},
            {"gave_up", total.gave_up}};
}

Json processor_time() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto shown_ns = [](const timeval& time) { return std::to_string(time.tv_sec * 1'000'000'000 + time.tv_usec * 1000); };
    return {{"user_ns", shown_ns(used.ru_utime)}, {"system_ns", shown_ns(used.ru_stime)}};
}

Json driven(const std::vector<Call*>& calls, const Plan& plan, std::uint64_t start_at_ns, const std::atomic<bool>& stopping,
            const Report& report) {
    Drive drive{plan, calls.size(), clock::reading_ns(), stopping};
    auto clients = stats_of(drive, calls.size());
    std::promise<bool> decided;
    const auto starts = decided.get_future().share();
    std::latch awake{static_cast<std::ptrdiff_t>(calls.size())};
    // If a thread cannot be created, the others are released without a drive and joined at the end.
    std::vector<std::jthread> threads;
    for (std::size_t place = 0; place < calls.size(); ++place) {
        try {
            threads.emplace_back([&, starts, place] {
                clock::sharpen_sleeps();
                clock::Machine machine;
                awake.count_down();
                if (starts.get()) {
                    ClientLoop{*calls[place], drive, *clients[place], machine, place}.run();
                }
            });
        } catch (const std::exception& error) {
            decided.set_value(false);
            throw Failure{"out-of-resources", "client thread " + std::to_string(place + 1) + " cannot be started: " + error.what()};
        }
    }
    awake.wait();
    const auto before = processor_time();
    drive.start = std::max(start_at_ns, clock::now() + 100'000 + 10'000 * calls.size());
    decided.set_value(true);
    {
        const std::jthread reporter{[&](const std::stop_token& over) { watch(over, drive, clients, report); }};
        threads.clear();
    }
    auto result = done(drive, clients);
    result["processor"] = {{"start", before}, {"end", processor_time()}};
    result["threads"] = calls.size();
    return result;
}

} // namespace kit
