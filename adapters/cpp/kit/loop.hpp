/// The load loop of one client, as contract/LOOP.md has it. Nothing is allocated and no lock is taken between two calls of a closed loop.
#pragma once

#include "clock.hpp"
#include "drive.hpp"

namespace kit {

/// `Clock` is the machine's clock, or the scripted one of a golden trace. The loop is the same.
template <typename Clock>
class ClientLoop {
  public:
    ClientLoop(Call& call, Drive& drive, WorkerStats& stats, Clock& clock, std::size_t place)
        : call_(call), drive_(drive), stats_(stats), clock_(clock), place_(place), end_(drive.start + drive.plan.end_ns()),
          limit_(drive.start + drive.plan.limit_ns) {}

    /// Waits for the common start, and makes calls until the drive is over for this client. The calls of a client that gives up early go to
    /// the others.
    void run() {
        const auto begun = clock::wait_until(clock_, drive_.start, START_SPIN_NS);
        stats_.gap_ns = begun - drive_.start;
        stats_.ended = stats_.left = begun;
        if (drive_.plan.gaps) {
            open();
        } else {
            closed();
        }
        drive_.put_back(held_);
        stats_.gave_up = is_unwanted();
    }

  private:
    static constexpr std::uint64_t START_SPIN_NS = 30'000;
    static constexpr std::uint64_t THINK_SPIN_NS = 5'000;
    /// A client that wakes up this long before an arrival is rarely late.
    static constexpr std::uint64_t ARRIVAL_SPIN_NS = 60'000;
    /// A longer wait is cut into pieces, to see whether the drive is still wanted.
    static constexpr std::uint64_t PIECE_NS = 100'000'000;
    static constexpr std::uint64_t FOREVER = std::numeric_limits<std::uint64_t>::max();
    /// The calls that determine how the others are timed.
    static constexpr std::uint64_t HANDFUL = 16;
    static constexpr std::uint64_t HOPELESS = 100;

    [[nodiscard]] bool is_unwanted() const { return in_a_row_ >= HOPELESS || drive_.stopping.load(std::memory_order_relaxed); }

    [[nodiscard]] bool leaves(std::uint64_t now) const { return now >= limit_ || is_unwanted(); }

    /// How many calls may begin now, at most `wanted`; 0: the drive is over for this client.
    std::uint64_t admit(std::uint64_t now, std::uint64_t wanted) {
        if (held_ == 0) {
            held_ = drive_.draw(wanted);
        }
        if (held_ == 0) {
            return now < end_ && !leaves(now) ? wanted : 0;
        }
        if (leaves(now)) {
            return 0;
        }
        const auto admitted = std::min(held_, wanted);
        held_ -= admitted;
        return admitted;
    }

    /// Waits for the think time from `now` to `until`. It ends early if no call is left after it.
    std::uint64_t think(std::uint64_t now, std::uint64_t until) {
        const auto most = held_ == 0 && drive_.is_drawn() ? std::max(end_, now) : limit_;
        const auto thought = clock::wait_until(clock_, std::min(until, most), clock_.spin_ns(THINK_SPIN_NS));
        stats_.think_ns += thought - now;
        stats_.left = thought;
        return thought;
    }

    /// Waits for the client's first call: according to the ramp-up, or in the middle of a think time, so that clients do not call at the
    /// same time.
    std::uint64_t begin() {
        const auto& plan = drive_.plan;
        const auto share = [](std::uint64_t whole, std::uint64_t part, std::uint64_t of) {
            return whole / of * part + whole % of * part / of;
        };
        if (plan.ramp_up_ns > 0) {
            const auto first = std::min(drive_.start + share(plan.ramp_up_ns, place_, drive_.clients), limit_);
            const auto begun = clock::wait_until(clock_, first, clock_.spin_ns(THINK_SPIN_NS));
            stats_.gap_ns += begun - stats_.ended;
            return stats_.ended = stats_.left = begun;
        }
        if (plan.think_ns > 0) {
            const auto first = drive_.start + share(plan.think_ns, 2 * place_ + 1, 2 * drive_.clients);
            return think(stats_.ended, std::min(first, limit_));
        }
        return stats_.ended;
    }

    void closed() {
        const auto& plan = drive_.plan;
        const auto begun = begin();
        if (plan.timing == "each" || plan.think_ns > 0) {
            each(begun, FOREVER);
            return;
        }
        if (!each(begun, HANDFUL)) {
            return;
        }
        std::uint64_t size = 0;
        if (drive_.batch.compare_exchange_strong(size, batch_size())) {
            size = drive_.batch.load();
        }
        if (size == 1) {
            each(stats_.ended, FOREVER);
        } else {
            batches(size);
        }
    }

    /// The number of calls per batch, from the time of a typical call: about 100 us per batch; 1 if a call is long compared with a clock
    /// reading.
    [[nodiscard]] std::uint64_t batch_size() const {
        const auto median = stats_.latency.median();
        const auto typical = static_cast<double>(median.value_or(0));
        if (!median || (drive_.plan.timing == "auto" && typical >= 20 * drive_.reading_ns)) {
            return 1;
        }
        return static_cast<std::uint64_t>(std::clamp(100'000 / std::max(typical - drive_.reading_ns, 1.0), 1.0, 4096.0));
    }

    /// At most `most` calls from the moment `from` on, with the clock read around each; whether the drive goes on.
    bool each(std::uint64_t from, std::uint64_t most) {
        const auto think_ns = drive_.plan.think_ns;
        auto now = from;
        for (std::uint64_t turn = 0; turn < most; ++turn) {
            if (admit(now, 1) == 0) {
                return false;
            }
            const auto due = now;
            const auto started = clock_.now();
            const auto made = make();
            now = ended(started);
            stats_.gap_ns += started - due;
            stats_.left = now;
            const auto right = made && judged();
            if (right) {
                stats_.latency.record(now - started);
            }
            if (now > end_) {
                late(due, started, now, right ? 1 : 0);
            }
            if (think_ns > 0) {
                now = think(now, now + think_ns);
            }
        }
        return true;
    }

    void batches(std::uint64_t size) {
        auto now = stats_.ended;
        while (const auto batch = admit(now, size)) {
            const auto due = now;
            const auto right = right_;
            const auto started = clock_.now();
            for (std::uint64_t turn = 0; turn < batch; ++turn) {
                if (!(make() && judged()) && leaves(started)) {
                    break;
                }
            }
            now = ended(started);
            stats_.gap_ns += started - due;
            stats_.left = now;
            if (now > end_) {
                late(due, started, now, right_ - right);
            }
        }
    }

    void open() {
        auto idle_since = stats_.ended;
        while (const auto intended = drive_.arrival()) {
            auto now = clock_.now();
            while (now < *intended && !leaves(now)) {
                now = clock::wait_until(clock_, std::min({*intended, now + PIECE_NS, limit_}), clock_.spin_ns(ARRIVAL_SPIN_NS));
            }
            if (leaves(now)) {
                return;
            }
            const auto started = clock_.now();
            const auto made = make();
            now = ended(started);
            const auto right = made && judged();
            if (now > end_) {
                late(*intended, started, now, right ? 1 : 0);
            }
            if (right) {
                stats_.latency.record(now - *intended);
                stats_.service.record(now - started);
                // Waiting for a free client is caused by the server. Only the delay after both a client and an arrival are available is
                // caused by the generator.
                stats_.lateness.record(started - std::max(*intended, idle_since));
            }
            idle_since = clock_.now();
        }
    }

    /// The second reading.
    std::uint64_t ended(std::uint64_t started) {
        const auto now = clock_.now();
        clock_.made(started, now);
        stats_.in_call_ns += now - started;
        return stats_.ended = now;
    }

    /// Counts a call, or a batch of `right` correct ones, that ended after the time was over.
    void late(std::uint64_t due, std::uint64_t started, std::uint64_t ended, std::uint64_t right) {
        if (due >= end_) {
            stats_.late.due_later = true;
        } else {
            stats_.late.time.note(end_, started, ended, right);
        }
        if (ended > limit_) {
            stats_.late.limit.note(limit_, started, ended, right);
        }
    }

    /// Makes one call, including the burn. Returns whether there is an answer, which is not checked yet.
    bool make() noexcept {
        const auto there = sound([&] {
            call_.make(turn_++);
            return true;
        });
        clock::burn(clock_, drive_.plan.burn_ns);
        return there;
    }

    /// Looks at the answer and counts it; whether it was right.
    bool judged() noexcept {
        const auto right = sound([&] { return call_.right(turn_ - 1) || failed("wrong-answer", "the answer is not the right one"); });
        if (right) {
            in_a_row_ = 0;
            stats_.right.store(++right_, std::memory_order_relaxed);
        }
        return right;
    }

    /// Runs a function that returns whether it was successful. Exceptions are counted as errors.
    template <typename What>
    bool sound(const What& what) noexcept {
        try {
            return what();
        } catch (const Failure& failure) {
            return failed(failure.kind, failure.what());
        } catch (const std::bad_alloc&) {
            return failed("out-of-resources", "there is not enough memory");
        } catch (const std::exception& surprise) {
            return failed("internal", surprise.what());
        }
    }

    /// Counts an error. Returns false.
    bool failed(const std::string& kind, const std::string& why) {
        ++stats_.errors[kind];
        stats_.error_messages.try_emplace(kind, why);
        ++in_a_row_;
        stats_.wrong.fetch_add(1, std::memory_order_relaxed);
        return false;
    }

    Call& call_;
    Drive& drive_;
    WorkerStats& stats_;
    Clock& clock_;
    std::size_t place_;
    std::uint64_t end_;
    std::uint64_t limit_;
    /// Drawn from the pool and not yet made.
    std::uint64_t held_ = 0;
    std::uint64_t in_a_row_ = 0;
    /// The number of the next call.
    std::size_t turn_ = 0;
    std::uint64_t right_ = 0;
};

} // namespace kit
