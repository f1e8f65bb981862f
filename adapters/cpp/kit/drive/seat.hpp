/// A client's place in a drive: its call, its share of the calls, its tally, and when it must leave.
#pragma once

#include "drive.hpp"
#include "gate.hpp"
#include "pool.hpp"

namespace kit {

/// What a client shows the reporter, on cache lines of its own so that showing costs no other client anything.
struct alignas(128) Progress {
    std::atomic<std::uint64_t> calls{0};
    std::atomic<std::uint64_t> errors{0};
};

/// What all clients of a drive look at.
struct Shared {
    Shared(const Plan& the_plan, std::atomic<bool>& stop, std::size_t clients, double reading)
        : plan(the_plan), stopping(stop), pool(the_plan.calls, clients), reading_ns(reading) {
        if (plan.schedule) {
            arrivals.emplace(*plan.schedule);
        }
    }

    const Plan& plan;
    std::atomic<bool>& stopping;
    Pool pool;
    std::optional<Arrivals> arrivals;
    double reading_ns;
    /// Calls a batch, 1 for each call timed; 0 until the first client knows.
    std::atomic<std::uint64_t> batch{0};
    Gate gate;
};

/// What the exception that is being handled means.
Kind kind_of_caught() noexcept;

/// `Clock` is that of the machine, or the scripted one of a golden trace: the loop is the same.
template <typename Clock>
class Seat {
  public:
    Seat(Prepared& call, Progress& progress, Shared& shared, Tally& tally, Clock& clock, std::uint64_t start, std::uint64_t first_after_ns)
        : shared_(shared), tally_(tally), clock_(clock), start_(start), limit_at_(start + shared.plan.limit_ns), call_(call),
          progress_(progress), end_at_(start + shared.plan.end_ns()), first_at_(std::min(start + first_after_ns, limit_at_)) {}

    Seat(const Seat&) = delete;
    Seat& operator=(const Seat&) = delete;

    /// Whoever leaves early leaves its calls to the others.
    ~Seat() {
        shared_.pool.put_back(held_);
        tally_.gave_up = errors_in_a_row_ >= HOPELESS || shared_.stopping.load(std::memory_order_relaxed);
    }

    /// Waits for the common start and calls until the drive is over for this client.
    void run();

  private:
    /// How many calls may be made now, at most `wish`; 0: the drive is over for this client.
    std::uint64_t admit(std::uint64_t now, std::uint64_t wish) {
        if (held_ == 0) {
            held_ = shared_.pool.draw(wish);
        }
        if (held_ == 0) {
            // All calls have been drawn: on until the time is over.
            return now < end_at_ && !leaves(now) ? wish : 0;
        }
        if (leaves(now)) {
            return 0;
        }
        const auto admitted = std::min(held_, wish);
        held_ -= admitted;
        return admitted;
    }

    /// Whether nothing more may be begun, whatever is left to do.
    [[nodiscard]] bool leaves(std::uint64_t now) const {
        return now >= limit_at_ || errors_in_a_row_ >= HOPELESS || shared_.stopping.load(std::memory_order_relaxed);
    }

    /// Until when a client that would think until `at` does: the end, where no call is left to be made after it.
    [[nodiscard]] std::uint64_t thinks_until(std::uint64_t now, std::uint64_t at) const {
        return std::min(at, held_ == 0 && shared_.pool.is_empty() ? std::max(end_at_, now) : limit_at_);
    }

    /// Takes in a call, or a batch of so many right ones, that ended after the time was over. `due` is when an arrival was intended, or
    /// when a client of a closed loop was let go on.
    void overran(std::uint64_t due, std::uint64_t started, std::uint64_t ended, std::uint64_t right) {
        tally_.late.note({end_at_, limit_at_}, due, started, ended, right);
    }

    /// Makes one call and says what went wrong; nothing: there is an answer, which is not looked at yet.
    std::optional<Kind> make() noexcept {
        try {
            call_.make();
            return std::nullopt;
        } catch (...) {
            return kind_of_caught();
        }
    }

    /// Looks at the answer, where there is one, and says what went wrong in all.
    std::optional<Kind> checked(std::optional<Kind> wrong) noexcept {
        if (wrong) {
            return wrong;
        }
        try {
            return call_.right() ? std::nullopt : std::optional{Kind::wrong_answer};
        } catch (...) {
            return kind_of_caught();
        }
    }

    /// Is busy for as long as the plan wants each call to be slower.
    void burn() const {
        if (shared_.plan.burn_ns > 0) {
            clock::burn(clock_, shared_.plan.burn_ns);
        }
    }

    /// Counts one result; whether it was right.
    bool judge(std::optional<Kind> wrong) {
        if (!wrong) {
            ++tally_.calls;
            errors_in_a_row_ = 0;
            progress_.calls.store(tally_.calls, std::memory_order_relaxed);
            return true;
        }
        ++tally_.errors.at(static_cast<std::size_t>(*wrong));
        ++errors_in_a_row_;
        progress_.errors.store(tally_.error_count(), std::memory_order_relaxed);
        return false;
    }

    /// Waits for the client's own beginning, by the ramp-up or by the thought in whose middle it is; gives when that was.
    std::uint64_t begin();
    /// At most `most` calls from a moment on, with the clock read around each; whether the drive goes on.
    bool each(std::uint64_t from, std::uint64_t most);
    void batches(std::uint64_t size);
    void closed();
    void open();
    /// False where the drive ends before `intended`.
    bool await_arrival(std::uint64_t intended);

    static constexpr std::uint32_t HOPELESS = 100;

    Shared& shared_;
    Tally& tally_;
    Clock& clock_;
    std::uint64_t start_;
    std::uint64_t limit_at_;
    Prepared& call_;
    Progress& progress_;
    std::uint64_t end_at_;
    std::uint64_t first_at_;
    /// Drawn from the pool and not yet made.
    std::uint64_t held_ = 0;
    std::uint32_t errors_in_a_row_ = 0;
};

} // namespace kit
