/// Golden traces: one client's loop with a scripted clock and a scripted stack, as contract/LOOP.md has it.
#include "loop.hpp"

namespace kit {
namespace {

/// Each reading gives the time and then takes a while. Of the shape of clock::Machine.
class ScriptedClock {
  public:
    ScriptedClock(const Json& script, std::uint64_t spin_ns)
        : reading_takes_ns_(script.at("reading_takes_ns")), oversleeps_ns_(script.at("oversleeps_ns")), spin_ns_(spin_ns),
          time_(script.at("clock_start_ns")) {}

    std::uint64_t now() { return std::exchange(time_, time_ + reading_takes_ns_); }

    void sleep_until(std::uint64_t moment) { time_ = std::max(time_, moment + oversleeps_ns_); }

    [[nodiscard]] std::uint64_t spin_ns(std::uint64_t /*usual*/) const { return spin_ns_; }

    void made(std::uint64_t started, std::uint64_t ended) {
        if (made_.size() < MOST_MADE) {
            made_.push_back({started, ended});
        }
    }

    /// A call takes so long.
    void pass(std::uint64_t takes_ns) { time_ += takes_ns; }

    [[nodiscard]] const Json& made() const { return made_; }

  private:
    static constexpr std::size_t MOST_MADE = 1000;

    std::uint64_t reading_takes_ns_;
    std::uint64_t oversleeps_ns_;
    std::uint64_t spin_ns_;
    std::uint64_t time_;
    Json made_ = Json::array();
};

/// Moves the clock by what each call takes, and reads it not.
class Scripted : public Call {
  public:
    Scripted(const Json& calls, ScriptedClock& clock) : calls_(calls), clock_(clock) {}

    void make(std::size_t turn) override {
        const auto& call = calls_.at(turn % calls_.size());
        clock_.pass(call.at("takes_ns"));
        answer_ = call.at("answer").get<std::string>();
        if (const auto kind = std::ranges::find(KIND_NAMES, answer_); kind != KIND_NAMES.end()) {
            throw Failure{static_cast<Kind>(kind - KIND_NAMES.begin()), "as the script says"};
        }
    }

    bool right(std::size_t /*turn*/) override { return answer_ == "right"; }
    Json plain() override { return answer_; }

  private:
    const Json& calls_;
    ScriptedClock& clock_;
    std::string answer_;
};

} // namespace

Json traced(const Json& trace, const std::atomic<bool>& stopping) {
    const auto& given = trace.at("plan");
    const auto& script = trace.at("script");
    auto plan = given.get<Plan>();
    if (!given.at("gaps").is_null()) {
        plan.gaps = given.at("gaps").get<std::vector<std::uint64_t>>();
    }
    Drive drive{plan, given.at("clients"), given.at("reading_ns"), stopping};
    drive.start = given.at("start");
    ScriptedClock clock{script, given.at("spin_ns")};
    const bool stands = script.at("reading_takes_ns") == 0;
    if (stands && (given.at("spin_ns") > 0 || plan.burn_ns > 0 || script.at("clock_start_ns") < given.at("start"))) {
        throw Failure{Kind::bad_request,
                      "reading_takes_ns is 0: then spin_ns and burn_ns must be 0 and the clock stand at the start, or a wait never ends"};
    }
    Scripted call{script.at("calls"), clock};
    auto stats = stats_of(1, plan.gaps.has_value());
    ClientLoop{call, drive, *stats.front(), clock, given.at("place")}.run();
    auto said = done(drive, stats);
    said["threads"] = 1;
    return {{"done", std::move(said)}, {"made", clock.made()}};
}

} // namespace kit
