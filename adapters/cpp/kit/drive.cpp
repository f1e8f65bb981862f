#include "drive.hpp"

#include <sys/resource.h>

#include <chrono>
#include <condition_variable>
#include <system_error>
#include <thread>

#include "loop.hpp"

namespace kit {
namespace {

/// How often the reporter speaks.
constexpr std::uint64_t INTERVAL_NS = 100'000'000;

/// Holds the clients back until all are there, so that they start together; and knows when all have left.
class StartBarrier {
  public:
    /// A client waits for the start; false where the drive is off.
    bool wait() {
        std::unique_lock alone{lock_};
        ++arrived_;
        changed_.notify_all();
        changed_.wait(alone, [this] { return opened_; });
        return starts_;
    }

    void await_clients(std::size_t clients) {
        std::unique_lock alone{lock_};
        changed_.wait(alone, [&] { return arrived_ >= clients; });
    }

    /// Lets the clients start, or go home.
    void open(bool starts) {
        const std::scoped_lock alone{lock_};
        starts_ = starts;
        opened_ = true;
        changed_.notify_all();
    }

    void leave() {
        const std::scoped_lock alone{lock_};
        ++left_;
        changed_.notify_all();
    }

    /// Waits until so many have left, but no longer than to `until`; whether they have.
    bool await_end(std::size_t clients, std::uint64_t until) {
        std::unique_lock alone{lock_};
        const auto now = clock::now();
        return changed_.wait_for(alone, std::chrono::nanoseconds{until > now ? until - now : 0}, [&] { return left_ >= clients; });
    }

  private:
    std::mutex lock_;
    std::condition_variable changed_;
    std::size_t arrived_ = 0;
    std::size_t left_ = 0;
    bool opened_ = false;
    bool starts_ = false;
};

/// Reports until every client has left, and once when the time is over.
void watch(StartBarrier& barrier, const Drive& drive, const Stats& clients, const Report& report) {
    auto tick = drive.start + INTERVAL_NS;
    const auto over = drive.start + drive.plan.end_ns();
    auto next = over > drive.start ? std::min(tick, over) : tick;
    while (!barrier.await_end(clients.size(), next)) {
        std::uint64_t right = 0;
        std::uint64_t wrong = 0;
        for (const auto& its : clients) {
            right += its->right.load(std::memory_order_relaxed);
            wrong += its->wrong.load(std::memory_order_relaxed);
        }
        report(clock::now() - drive.start, right, wrong);
        if (next == tick) {
            tick += INTERVAL_NS;
        }
        next = over > next ? std::min(tick, over) : tick;
    }
}

Json shown(const Histogram& it) {
    Json buckets = Json::array();
    for (std::size_t index = 0; index < it.buckets().size(); ++index) {
        if (const auto count = it.buckets()[index]; count > 0) {
            buckets.push_back({index, count});
        }
    }
    return {{"count", it.count()},
            {"sum_ns", std::to_string(it.sum())},
            {"min_ns", it.least()},
            {"max_ns", it.greatest()},
            {"buckets", std::move(buckets)}};
}

void add(Flight& to, const Flight& other) {
    to.after += other.after;
    to.flying += other.flying;
    to.part += other.part;
}

} // namespace

void Flight::note(std::uint64_t moment, std::uint64_t started, std::uint64_t ended, std::uint64_t right) {
    after += right;
    if (started < moment) {
        const auto before = static_cast<double>(right) * static_cast<double>(moment - started) / static_cast<double>(ended - started);
        // Of a batch, whole calls were answered before.
        const auto whole = static_cast<std::uint64_t>(before);
        after -= whole;
        part += before - static_cast<double>(whole);
        ++flying;
    }
}

void WorkerStats::merge(const WorkerStats& other) {
    right += other.right;
    for (std::size_t kind = 0; kind < errors.size(); ++kind) {
        errors.at(kind) += other.errors.at(kind);
        said.at(kind) = said.at(kind).empty() ? other.said.at(kind) : said.at(kind);
    }
    latency.merge(other.latency);
    service.merge(other.service);
    lateness.merge(other.lateness);
    in_call_ns += other.in_call_ns;
    think_ns += other.think_ns;
    gap_ns += other.gap_ns;
    late.due_later = late.due_later || other.late.due_later;
    add(late.time, other.late.time);
    add(late.limit, other.late.limit);
    gave_up = gave_up && other.gave_up;
}

Stats stats_of(std::size_t clients, bool open) {
    Stats all(clients);
    std::ranges::generate(all, [open] { return std::make_unique<WorkerStats>(open); });
    return all;
}

Json done(const Drive& drive, Stats& clients) {
    std::uint64_t last = 0;
    std::ranges::for_each(clients, [&](const auto& its) { last = std::max(last, its->ended); });
    for (const auto& its : clients) {
        // Who was done earlier stood idle, and a thought beyond the end does not count.
        its->gap_ns += last - std::min(its->left, last);
        its->think_ns -= std::min(its->think_ns, its->left - std::min(its->left, last));
    }
    auto& total = *clients.front();
    std::for_each(clients.begin() + 1, clients.end(), [&](const auto& its) { total.merge(*its); });
    Json errors = Json::object();
    Json said = Json::object();
    for (std::size_t kind = 0; kind < KIND_NAMES.size(); ++kind) {
        if (total.errors.at(kind) > 0) {
            errors[std::string{KIND_NAMES.at(kind)}] = total.errors.at(kind);
            said[std::string{KIND_NAMES.at(kind)}] = total.said.at(kind);
        }
    }
    const bool open = drive.plan.gaps.has_value();
    const auto batch = std::max<std::uint64_t>(drive.batch.load(), 1);
    return {{"is", "done"},
            {"calls", total.right.load()},
            {"errors", std::move(errors)},
            {"said", std::move(said)},
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
    auto clients = stats_of(calls.size(), plan.gaps.has_value());
    StartBarrier barrier;
    Json before;
    {
        // Joined at the end of this block, also where one of them cannot be had.
        std::vector<std::jthread> threads;
        threads.reserve(calls.size());
        try {
            for (std::size_t place = 0; place < calls.size(); ++place) {
                threads.emplace_back([&, place] {
                    clock::sharpen_sleeps();
                    clock::Machine machine;
                    if (barrier.wait()) {
                        ClientLoop{*calls[place], drive, *clients[place], machine, place}.run();
                    }
                    barrier.leave();
                });
            }
        } catch (const std::system_error& error) {
            barrier.open(false);
            throw Failure{Kind::out_of_resources,
                          "client thread " + std::to_string(threads.size() + 1) + " cannot be started: " + error.what()};
        }
        barrier.await_clients(calls.size());
        before = processor_time();
        drive.start = std::max(start_at_ns, clock::now() + 100'000 + 10'000 * calls.size());
        barrier.open(true);
        watch(barrier, drive, clients, report);
    }
    auto said = done(drive, clients);
    said["processor"] = {{"start", std::move(before)}, {"end", processor_time()}};
    said["threads"] = calls.size();
    return said;
}

} // namespace kit
