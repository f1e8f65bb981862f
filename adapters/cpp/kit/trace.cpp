/// Golden traces: one client's loop with a scripted clock and a scripted stack, as contract/LOOP.md has it.
#include "loop.hpp"

namespace kit {
namespace {

/// Each reading returns the time and then takes some time. It has the interface of clock::Machine.
struct ScriptedClock {
    static constexpr std::size_t MOST_MADE = 1000;

    std::uint64_t now() { return std::exchange(time, time + reading_takes_ns); }

    void sleep_until(std::uint64_t moment) { time = std::max(time, moment + oversleeps_ns); }

    [[nodiscard]] std::uint64_t spin_ns(std::uint64_t /*usual*/) const { return spins_ns; }

    void made(std::uint64_t started, std::uint64_t ended) {
        if (readings.size() < MOST_MADE) {
            readings.push_back({started, ended});
        }
    }

    std::uint64_t time;
    std::uint64_t reading_takes_ns;
    std::uint64_t oversleeps_ns;
    std::uint64_t spins_ns;
    Json readings = Json::array();
};

/// Moves the clock by what each call takes, and reads it not.
class Scripted : public Call {
  public:
    Scripted(const Json& calls, ScriptedClock& clock) : calls_(calls), clock_(clock) {}

    void make(std::size_t turn) override {
        const auto& call = calls_.at(turn % calls_.size());
        clock_.time += call.at("takes_ns").get<std::uint64_t>();
        answer_ = call.at("answer").get<std::string>();
        if (answer_ != "right" && answer_ != "wrong") {
            throw Failure{answer_, "as the script says"};
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
    ScriptedClock clock{script.at("clock_start_ns"), script.at("reading_takes_ns"), script.at("oversleeps_ns"), given.at("spin_ns")};
    if (clock.reading_takes_ns == 0 && (clock.spins_ns > 0 || plan.burn_ns > 0 || clock.time < drive.start)) {
        throw Failure{"bad-request",
                      "reading_takes_ns is 0: then spin_ns and burn_ns must be 0 and the clock stand at the start, or a wait never ends"};
    }
    Scripted call{script.at("calls"), clock};
    auto stats = stats_of(drive, 1);
    ClientLoop{call, drive, *stats.front(), clock, given.at("place")}.run();
    auto said = done(drive, stats);
    said["threads"] = 1;
    return {{"done", std::move(said)}, {"made", clock.readings}};
}

} // namespace kit
