#include "tracing.hpp"

#include <algorithm>

namespace kit::requests {
namespace {

constexpr std::int64_t EXACT = std::int64_t{1} << 53;
constexpr std::int64_t MOST_CLIENTS = 65'536;

std::uint64_t nanoseconds(const Json& in, const std::string& name) { return static_cast<std::uint64_t>(whole(in, name, 0, EXACT)); }

std::optional<Kind> wrong_of(const std::string& answer) {
    if (answer == "right") {
        return std::nullopt;
    }
    const auto found = std::ranges::find(KIND_NAMES, answer == "wrong" ? "wrong-answer" : answer);
    if (found == KIND_NAMES.end()) {
        throw bad("the answer " + answer.substr(0, 64) + " is unknown: say right, wrong or an error kind");
    }
    return static_cast<Kind>(found - KIND_NAMES.begin());
}

} // namespace

Trace trace(const Json& request) {
    const auto whole_trace = object(request, "trace");
    const auto given = object(whole_trace, "plan");
    const auto script = object(whole_trace, "script");
    Trace trace;
    trace.plan = paced(given);
    trace.plan.length_ns = nanoseconds(given, "length_ns");
    trace.plan.limit_ns = nanoseconds(given, "limit_ns");
    if (given.contains("gaps") && given.at("gaps").is_array() && !given.at("gaps").empty()) {
        auto& schedule = trace.plan.schedule.emplace();
        for (const auto& gap : given.at("gaps")) {
            schedule.push_back(static_cast<std::uint64_t>(arguments::whole("a gap", gap, 0, EXACT)));
        }
    }
    const auto clients = whole(given, "clients", 1, MOST_CLIENTS);
    trace.clients = static_cast<std::size_t>(clients);
    trace.place = static_cast<std::size_t>(whole(given, "place", 0, clients - 1));
    trace.start = nanoseconds(given, "start");
    trace.spin_ns = nanoseconds(given, "spin_ns");
    const auto& reading = arguments::member(given, "reading_ns");
    if (!reading.is_number()) {
        arguments::refuse("reading_ns", reading, "a number");
    }
    trace.reading_ns = reading.get<double>();
    trace.clock_start_ns = nanoseconds(script, "clock_start_ns");
    trace.reading_takes_ns = nanoseconds(script, "reading_takes_ns");
    trace.oversleeps_ns = nanoseconds(script, "oversleeps_ns");
    const auto& calls = arguments::member(script, "calls");
    if (!calls.is_array() || calls.empty()) {
        arguments::refuse("calls", calls, "a list of at least one call");
    }
    for (const auto& call : calls) {
        trace.calls.push_back({nanoseconds(call, "takes_ns"), wrong_of(text(call, "answer"))});
    }
    return trace;
}

Json traced(const Traced& what, bool open) {
    auto done = requests::done(what.outcome, open);
    done.erase("is");
    done.erase("processor");
    return {{"is", "traced"}, {"done", std::move(done)}, {"made", what.made}};
}

} // namespace kit::requests
