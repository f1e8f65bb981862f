#include "trace.hpp"

#include "seat.hpp"

namespace kit {
namespace {

/// Moves the clock by what each call takes, and reads it not.
class Scripted : public Prepared {
  public:
    Scripted(const Trace& trace, ScriptedClock& clock) : trace_(trace), clock_(clock) {}

    void make() override {
        const auto& call = trace_.calls[made_++ % trace_.calls.size()];
        clock_.pass(call.takes_ns);
        right_ = call.wrong != Kind::wrong_answer;
        if (call.wrong && right_) {
            throw Failure{*call.wrong, "as the script says"};
        }
    }

    bool right() override { return right_; }
    Answer answer() override { return {}; }

  private:
    const Trace& trace_;
    ScriptedClock& clock_;
    std::size_t made_ = 0;
    bool right_ = true;
};

} // namespace

Traced replay(const Trace& trace, std::atomic<bool>& stopping) {
    if (trace.reading_takes_ns == 0 && (trace.spin_ns > 0 || trace.plan.burn_ns > 0 || trace.clock_start_ns < trace.start)) {
        throw bad("reading_takes_ns is 0: then spin_ns and burn_ns must be 0 and the clock stand at the start, or a wait never ends");
    }
    ScriptedClock clock{trace};
    Scripted call{trace, clock};
    Shared shared{trace.plan, stopping, trace.clients, trace.reading_ns};
    Progress progress;
    std::vector<Tally> tallies(1);
    Seat{call, progress, shared, tallies.front(), clock, trace.start, trace.plan.first_after_ns(trace.place, trace.clients)}.run();
    Traced traced;
    traced.outcome.threads = 1;
    sum_up(traced.outcome, tallies, shared, trace.start);
    traced.made = clock.made();
    return traced;
}

} // namespace kit
