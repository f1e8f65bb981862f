#include "session.hpp"

#include <arpa/inet.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "../clock.hpp"
#include "../service/canonical.hpp"
#include "requests.hpp"
#include "tracing.hpp"

namespace kit {
namespace {

constexpr std::int64_t MOST_CLIENTS = 65'536;
constexpr std::int64_t LONGEST_TIMEOUT_MS = 86'400'000;

Json answer_of(const std::string& is) { return {{"is", is}}; }

Json error_of(Kind kind, const std::string& message) {
    return {{"is", "error"}, {"kind", KIND_NAMES.at(static_cast<std::size_t>(kind))}, {"message", message}};
}

bool is_address(const std::string& host) {
    std::array<unsigned char, sizeof(in6_addr)> bytes{};
    return inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 || inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

} // namespace

void Session::greet() {
    Json stacks = Json::array();
    Json unavailable = Json::object();
    for (const auto& stack : adapter_.stacks) {
        const auto id = adapter_.name + '/' + stack->name();
        stacks.push_back(id);
        if (const auto why = stack->unavailable()) {
            unavailable[id] = *why;
        }
    }
    say({{"is", "hello"},
         {"contract", 1},
         {"adapter", adapter_.name},
         {"language", "c++"},
         {"version", adapter_.version},
         {"runtime", "g++ " __VERSION__},
         {"libraries", adapter_.libraries},
         {"clock", {{"name", "CLOCK_MONOTONIC"}, {"resolution_ns", clock::resolution_ns()}, {"reading_ns", clock::reading_ns()}}},
         {"features", {"closed", "think", "ramp-up", "open", "burn", "heap", "trace"}},
         {"stacks", std::move(stacks)},
         {"unavailable", std::move(unavailable)}});
}

bool Session::answer(const Line& line) {
    // Ids rise by one, so that a line without a readable id still has one.
    ++last_id_;
    Json said;
    try {
        if (line.too_long) {
            throw bad("the line is longer than " + std::to_string(Lines::LONGEST) + " bytes");
        }
        const auto request = requests::parsed(line.text);
        last_id_ = requests::id_of(request);
        said = act(last_id_, request);
    } catch (const Failure& failure) {
        said = error_of(failure.kind, failure.what());
    } catch (const std::bad_alloc&) {
        said = error_of(Kind::out_of_resources, "there is not enough memory for this request");
    } catch (const std::exception& surprise) {
        said = error_of(Kind::internal, surprise.what());
    }
    said["id"] = last_id_;
    say(said);
    return said.at("is") != "stopped";
}

Json Session::act(std::uint64_t id, const Json& request) {
    const auto what = requests::text(request, "do");
    if (what == "serve") {
        return serve(request);
    }
    if (what == "stop-serving") {
        return stop_serving();
    }
    if (what == "connect") {
        return connect(request);
    }
    if (what == "call") {
        return call(request);
    }
    if (what == "drive") {
        return drive(id, request);
    }
    if (what == "counted") {
        return counted();
    }
    if (what == "heap") {
        return {{"is", "heap"}, {"used_bytes", heap_used_bytes()}};
    }
    if (what == "trace") {
        const auto trace = requests::trace(request);
        return requests::traced(replay(trace, stopping_), trace.plan.schedule.has_value());
    }
    if (what == "disconnect") {
        disconnect();
        return answer_of("disconnected");
    }
    if (what == "stop") {
        disconnect();
        server_.reset();
        return answer_of("stopped");
    }
    throw bad("the request to do " + what.substr(0, 64) + " is not known here");
}

Json Session::serve(const Json& request) {
    if (server_) {
        throw bad("something is served already: say stop-serving first");
    }
    const auto name = requests::text(request, "stack");
    auto& stack = stack_named(name);
    if (const auto why = stack.unavailable()) {
        throw Failure{Kind::unsupported, "stack " + name + " cannot run here: " + *why};
    }
    const auto host = requests::text(request, "host");
    if (!is_address(host)) {
        throw bad("host is " + host.substr(0, 64) + ": it must be an IP address");
    }
    const auto options = requests::object(request, "options");
    requests::refuse_unknown(options, Service::OPTIONS);
    auto service = std::make_shared<Service>(options);
    const auto port = requests::whole(request, "port", 0, 65535, 0);
    server_ = stack.serve(service, {host, static_cast<std::uint16_t>(port)});
    service_ = std::move(service);
    return {{"is", "serving"}, {"endpoint", server_->endpoint()}};
}

Json Session::stop_serving() {
    if (!server_) {
        throw bad("nothing is served: say serve first");
    }
    server_.reset();
    service_.reset();
    return answer_of("stopped-serving");
}

Json Session::connect(const Json& request) {
    disconnect();
    auto& stack = stack_named(requests::text(request, "stack"));
    requests::refuse_unknown(requests::object(request, "options"), {});
    const auto clients = requests::whole(request, "clients", 1, MOST_CLIENTS);
    const auto timeout = requests::whole(request, "timeout_ms", 1, LONGEST_TIMEOUT_MS);
    clients_ = stack.connect({requests::text(request, "endpoint"), static_cast<std::size_t>(clients), std::chrono::milliseconds{timeout}});
    return {{"is", "connected"}, {"connections", clients_.connections}};
}

Json Session::call(const Json& request) {
    const auto call = arguments::call(requests::text(request, "call"), requests::object(request, "arguments"));
    try {
        const auto answered = connected().all.front()->prepare(call)->answer();
        return {{"is", "returned"}, {"value", canonical::digest_if_large(canonical::answer(answered))}};
    } catch (const Failure& failure) {
        if (failure.kind != Kind::fault) {
            throw;
        }
        return {{"is", "returned"}, {"fault", {{"message", failure.what()}}}};
    }
}

Json Session::drive(std::uint64_t id, const Json& request) {
    const auto plan = requests::plan(request);
    const auto call = arguments::call(requests::text(request, "call"), requests::object(request, "arguments"));
    const auto& all = connected().all;
    const auto most = static_cast<std::int64_t>(all.size());
    const auto wanted = static_cast<std::size_t>(requests::whole(request, "clients", 1, most, most));
    std::vector<std::unique_ptr<Prepared>> calls;
    for (std::size_t at = 0; at < wanted; ++at) {
        calls.push_back(all.at(at)->prepare(call));
    }
    const auto outcome = kit::drive(calls, plan, stopping_, [&](const Interval& it) {
        say({{"is", "interval"}, {"id", id}, {"at_ns", it.at_ns}, {"calls", it.calls}, {"errors", it.errors}});
        return true;
    });
    return requests::done(outcome, plan.schedule.has_value());
}

Json Session::counted() {
    if (!service_) {
        throw bad("nothing is served: say serve first");
    }
    return {{"is", "counts"}, {"calls", service_->counted()}, {"processor", requests::cpu(processor_usage())}};
}

void Session::disconnect() { clients_ = {}; }

Stack& Session::stack_named(const std::string& name) {
    const auto found = std::ranges::find_if(adapter_.stacks, [&](const auto& its) { return adapter_.name + '/' + its->name() == name; });
    if (found == adapter_.stacks.end()) {
        throw bad("stack " + name.substr(0, 64) + " is not one of mine: hello lists them");
    }
    return **found;
}

Clients& Session::connected() {
    if (clients_.all.empty()) {
        throw bad("no client is connected: say connect first");
    }
    return clients_;
}

void Session::say(const Json& message) const {
    const auto line = message.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
    for (std::string_view rest = line; !rest.empty();) {
        const auto written = write(out_, rest.data(), rest.size());
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written < 0) {
            // Whoever started this has gone: there is nobody left to answer.
            std::_Exit(0);
        }
        rest.remove_prefix(static_cast<std::size_t>(written));
    }
}

} // namespace kit
