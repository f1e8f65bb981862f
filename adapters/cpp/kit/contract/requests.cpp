#include "requests.hpp"

#include <algorithm>

#include "../clock.hpp"
#include "../service/arguments.hpp"

namespace kit::requests {
namespace {

constexpr std::int64_t EXACT = std::int64_t{1} << 53;
/// No common start is further off, in nanoseconds: a mistaken clock should not look like a hang.
constexpr std::uint64_t FURTHEST_START_NS = 60'000'000'000;
/// No request is nested deeper: what is would cost a stack of its own to show.
constexpr int DEEPEST = 64;

std::uint64_t nanoseconds(const Json& request, const std::string& name) {
    const auto& given = arguments::member(request, name);
    if (!given.is_number() || given.get<double>() < 0 || given.get<double>() > 1e6) {
        arguments::refuse(name, given, "from 0 to 1000000");
    }
    return static_cast<std::uint64_t>(given.get<double>() * 1e9);
}

Timing timing_of(const Json& request) {
    const auto name = request.contains("timing") ? text(request, "timing") : "auto";
    if (name == "each") {
        return Timing::each;
    }
    if (name == "batch") {
        return Timing::batch;
    }
    if (name == "auto") {
        return Timing::automatic;
    }
    throw bad("timing is " + name.substr(0, 64) + ": it must be each, batch or auto");
}

Json histogram(const Histogram& it) {
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

} // namespace

Json parsed(const std::string& line) {
    const auto shallow = [](int depth, Json::parse_event_t /*event*/, Json& /*value*/) {
        if (depth > DEEPEST) {
            throw bad("the line is nested too deep");
        }
        return true;
    };
    try {
        return Json::parse(line, shallow);
    } catch (const Json::exception& trouble) {
        throw bad(std::string{"the line is no JSON: "} + trouble.what());
    }
}

std::uint64_t id_of(const Json& request) {
    if (!request.is_object() || !request.contains("id")) {
        throw bad("the request has no id: it must be a whole number from 1 on");
    }
    return static_cast<std::uint64_t>(arguments::whole("id", request.at("id"), 1, EXACT));
}

std::string text(const Json& request, const std::string& name) {
    const auto& given = arguments::member(request, name);
    if (!given.is_string()) {
        arguments::refuse(name, given, "a string");
    }
    return given.get<std::string>();
}

Json object(const Json& request, const std::string& name) {
    if (!request.contains(name) || request.at(name).is_null()) {
        return Json::object();
    }
    if (!request.at(name).is_object()) {
        arguments::refuse(name, request.at(name), "an object");
    }
    return request.at(name);
}

std::int64_t whole(const Json& request, const std::string& name, std::int64_t least, std::int64_t most,
                   std::optional<std::int64_t> otherwise) {
    if (otherwise && (!request.contains(name) || request.at(name).is_null())) {
        return *otherwise;
    }
    return arguments::whole(name, arguments::member(request, name), least, most);
}

void refuse_unknown(const Json& options, std::span<const std::string_view> known) {
    for (const auto& [name, value] : options.items()) {
        if (std::ranges::find(known, name) == known.end()) {
            std::string all;
            for (const auto one : known) {
                all += (all.empty() ? "known are " : ", ") + std::string{one};
            }
            throw bad("the option " + name.substr(0, 64) + " is unknown: " + (all.empty() ? "none is known here" : all));
        }
    }
}

Plan paced(const Json& request) {
    Plan plan;
    plan.calls = static_cast<std::uint64_t>(whole(request, "calls", 0, EXACT));
    plan.timing = timing_of(request);
    plan.think_ns = static_cast<std::uint64_t>(whole(request, "think_ns", 0, EXACT, 0));
    plan.burn_ns = static_cast<std::uint64_t>(whole(request, "burn_ns", 0, EXACT, 0));
    plan.ramp_up_ns = static_cast<std::uint64_t>(whole(request, "ramp_up_ns", 0, EXACT, 0));
    return plan;
}

Plan plan(const Json& request) {
    auto plan = paced(request);
    plan.length_ns = nanoseconds(request, "seconds");
    plan.limit_ns = nanoseconds(request, "limit_seconds");
    plan.start_at_ns = static_cast<std::uint64_t>(whole(request, "start_at_ns", 0, std::numeric_limits<std::int64_t>::max(), 0));
    const bool open = request.contains("schedule") && !request.at("schedule").is_null();
    if (open && (plan.think_ns > 0 || plan.timing == Timing::batch)) {
        throw bad("schedule excludes think_ns and timing batch: an open loop does not think, and arrivals come one by one");
    }
    if (open && plan.ramp_up_ns > 0) {
        throw bad("schedule and ramp_up_ns exclude each other: the schedule says when calls begin");
    }
    if (plan.think_ns > 0 && plan.timing == Timing::batch) {
        throw bad("think_ns and timing batch exclude each other: say timing each");
    }
    if (plan.start_at_ns > clock::now() + FURTHEST_START_NS) {
        throw bad("start_at_ns is " + std::to_string(plan.start_at_ns) + ": it must be within a minute of the monotonic clock's now");
    }
    if (open) {
        plan.schedule = read_schedule(text(request, "schedule"));
    }
    return plan;
}

Json done(const Outcome& outcome, bool open) {
    Json errors = Json::object();
    for (std::size_t place = 0; place < KIND_NAMES.size(); ++place) {
        if (const auto count = outcome.total.errors.at(place); count > 0) {
            errors[std::string{KIND_NAMES.at(place)}] = count;
        }
    }
    const bool batched = outcome.batch > 1;
    return {{"is", "done"},
            {"calls", outcome.total.calls},
            {"errors", std::move(errors)},
            {"elapsed_ns", outcome.elapsed_ns},
            {"window_ns", outcome.window.ns},
            {"answered", outcome.window.answered},
            {"in_flight", outcome.window.in_flight},
            {"in_flight_part", outcome.window.in_flight_part},
            {"timed", batched ? "batch" : "each"},
            {"batch", outcome.batch},
            {"latency", batched ? Json(nullptr) : histogram(outcome.total.latency)},
            {"service", open ? histogram(outcome.total.service) : Json(nullptr)},
            {"lateness", open ? histogram(outcome.total.lateness) : Json(nullptr)},
            {"in_call_ns", std::to_string(outcome.total.in_call_ns)},
            {"think_ns", std::to_string(outcome.total.think_ns)},
            {"gap_ns", open ? Json(nullptr) : Json(std::to_string(outcome.total.gap_ns))},
            {"processor", {{"start", cpu(outcome.before)}, {"end", cpu(outcome.after)}}},
            {"threads", outcome.threads}};
}

Json cpu(const Usage& usage) { return {{"user_ns", std::to_string(usage.user_ns)}, {"system_ns", std::to_string(usage.system_ns)}}; }

} // namespace kit::requests
