/// The runner protocol.
#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "clock.hpp"
#include "drive.hpp"
#include "service.hpp"

namespace kit {
namespace {

/// The version of the runner protocol that is spoken here.
constexpr int RUNNER = 1;

/// Reads a schedule of the contract: gaps of 64 bits, little-endian.
std::vector<std::uint64_t> gaps_of(const std::string& path) {
    std::ifstream file{path, std::ios::binary};
    const std::string bytes{std::istreambuf_iterator<char>{file}, {}};
    if (bytes.empty() || bytes.size() % 8 != 0) {
        throw Failure{"bad-request", "the schedule " + path + " cannot be read: it must be gaps of 8 bytes"};
    }
    std::vector<std::uint64_t> gaps(bytes.size() / 8);
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        gaps[at / 8] |= std::uint64_t{static_cast<unsigned char>(bytes[at])} << (8 * (at % 8));
    }
    return gaps;
}

Json error(const std::string& kind, const std::string& message) { return {{"is", "error"}, {"kind", kind}, {"message", message}}; }

/// Answers the host's requests, one after the other. They are well-formed and in order, which is the host's business.
class Runner {
  public:
    Runner(Adapter adapter, Host& host) : adapter_(std::move(adapter)), host_(host) {}

    void ready() {
        Json stacks = Json::array();
        Json unavailable = Json::object();
        for (const auto& stack : adapter_.stacks) {
            stacks.push_back(stack.name);
            if (!stack.unavailable.empty()) {
                unavailable[stack.name] = stack.unavailable;
            }
        }
        host_.say({{"is", "ready"},
                   {"runner", RUNNER},
                   {"language", "c++"},
                   {"version", adapter_.version},
                   {"runtime", "g++ " __VERSION__},
                   {"libraries", adapter_.libraries},
                   {"clock", {{"name", "CLOCK_MONOTONIC"}, {"resolution_ns", clock::resolution_ns()}, {"reading_ns", clock::reading_ns()}}},
                   {"features", {"closed", "think", "ramp-up", "open", "burn", "heap", "trace"}},
                   {"stacks", std::move(stacks)},
                   {"unavailable", std::move(unavailable)}});
    }

    /// Answers one request; false after `stop`.
    bool answer(const Json& request) {
        Json said;
        try {
            said = act(request);
        } catch (const Failure& failure) {
            said = error(failure.kind, failure.what());
        } catch (const std::bad_alloc&) {
            said = error("out-of-resources", "there is not enough memory for this request");
        } catch (const std::exception& surprise) {
            said = error("internal", surprise.what());
        }
        said["id"] = request.at("id");
        host_.say(said);
        return said.at("is") != "stopped";
    }

  private:
    Json act(const Json& request) {
        const auto what = request.at("do").get<std::string>();
        const auto found = std::ranges::find(ACTIONS, what, &Action::what);
        if (found == ACTIONS.end()) {
            throw Failure{"bad-request", "the request to do " + what.substr(0, 64) + " is not known here"};
        }
        auto said = (this->*found->does)(request);
        said["is"] = found->is;
        return said;
    }

    Json serve(const Json& request) {
        auto operations = adapter_.own.empty() ? std::vector<std::string>{OPERATIONS.begin(), OPERATIONS.end()} : adapter_.own;
        auto service = std::make_shared<Service>(host_, request.at("delays"), std::move(operations));
        server_ = stack(request).serve(service, request.at("host"), request.at("port"));
        service_ = std::move(service);
        return {{"endpoint", server_->endpoint()}};
    }

    Json stop_serving(const Json& /*request*/) {
        server_.reset();
        return Json::object();
    }

    Json counted(const Json& /*request*/) { return {{"calls", service_->counted()}, {"processor", processor_time()}}; }

    Json connect(const Json& request) {
        disconnect(request);
        clients_ = stack(request).connect(request.at("endpoint"), request.at("clients"), request.at("timeout_ms"));
        return {{"connections", clients_->connections()}};
    }

    Json disconnect(const Json& /*request*/) {
        calls_.clear();
        clients_.reset();
        return Json::object();
    }

    Json prepare(const Json& request) {
        calls_.clear();
        calls_ = clients_->prepare(request.at("call"), request.at("payloads"));
        return Json::object();
    }

    Json call(const Json& /*request*/) {
        try {
            calls_.front()->make(0);
            return {{"value", calls_.front()->plain()}};
        } catch (const Failure& failure) {
            if (failure.kind != "fault") {
                throw;
            }
            return {{"fault", {{"message", failure.what()}}}};
        }
    }

    Json drive(const Json& request) {
        auto plan = request.get<Plan>();
        if (const auto& gaps = request.at("gaps"); !gaps.is_null()) {
            plan.gaps = gaps_of(gaps);
        }
        std::vector<Call*> calls(request.at("clients").get<std::size_t>());
        std::transform(calls_.begin(), calls_.begin() + static_cast<std::ptrdiff_t>(calls.size()), calls.begin(),
                       [](const auto& its) { return its.get(); });
        return driven(calls, plan, request.at("start_at_ns"), host_.stopping,
                      [&](std::uint64_t at_ns, std::uint64_t right, std::uint64_t wrong) {
                          host_.say({{"is", "interval"}, {"id", request.at("id")}, {"at_ns", at_ns}, {"calls", right}, {"errors", wrong}});
                      });
    }

    Json trace(const Json& request) { return traced(request.at("trace"), host_.stopping); }

    /// The bytes that the allocator has given out, in its heap and in separate mappings.
    Json heap(const Json& /*request*/) {
        const auto books = mallinfo2();
        return {{"used_bytes", books.uordblks + books.hblkhd}};
    }

    Json stop(const Json& request) {
        disconnect(request);
        return stop_serving(request);
    }

    Stack& stack(const Json& request) { return *std::ranges::find(adapter_.stacks, request.at("stack").get<std::string>(), &Stack::name); }

    struct Action {
        std::string_view what;
        std::string_view is;
        Json (Runner::*does)(const Json&);
    };
    static const std::array<Action, 11> ACTIONS;

    Adapter adapter_;
    Host& host_;
    std::shared_ptr<Service> service_;
    std::unique_ptr<Server> server_;
    // Clients go before the server that they are connected to, and their calls before them.
    std::unique_ptr<Clients> clients_;
    Calls calls_;
};

const std::array<Runner::Action, 11> Runner::ACTIONS = {{
    {"serve", "serving", &Runner::serve},
    {"stop-serving", "stopped-serving", &Runner::stop_serving},
    {"counted", "counts", &Runner::counted},
    {"connect", "connected", &Runner::connect},
    {"disconnect", "disconnected", &Runner::disconnect},
    {"prepare", "prepared", &Runner::prepare},
    {"call", "returned", &Runner::call},
    {"drive", "done", &Runner::drive},
    {"trace", "traced", &Runner::trace},
    {"heap", "heap", &Runner::heap},
    {"stop", "stopped", &Runner::stop},
}};

} // namespace

void run(const std::function<Adapter()>& make) {
    // They outlive this frame: the threads that use them are ended by the end of the process.
    static Host host;
    {
        Runner runner{make(), host};
        runner.ready();
        while (const auto request = host.next()) {
            if (!runner.answer(*request)) {
                break;
            }
        }
    }
    // Not exit: it would take statics away from threads that still run.
    std::_Exit(0);
}

} // namespace kit
