/// JSON-RPC 2.0 by POST over Boost.Beast, for the calls of a service of the user's own.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>

#include "../kit/service.hpp"
#include "../own/answers.hpp"
#include "../own/caller.hpp"
#include "form.hpp"

namespace http {

/// A connection of one client.
class Connection : public kit::Held {
  public:
    /// Sends the JSON of a call and returns what came back as `result`. Throws Failure.
    virtual kit::Json call(const std::string& method, kit::Json request) = 0;
};

using Connections = std::vector<std::shared_ptr<Connection>>;
/// Prepares one call for a client on each connection.
using Prepare = std::function<kit::Calls(const Connections& connections, const kit::Json& payloads)>;
/// Answers the JSON of a request. Throws Failure.
using Answer = std::function<kit::Json(const kit::Json& request)>;

/// A call, as it was generated.
struct Method {
    Prepare prepare;
    std::function<Answer(std::shared_ptr<kit::Service>)> serve;
};

using Methods = std::map<std::string, Method>;

/// A call by the structs of its request and its answer.
template <typename Request, typename Result>
Method method(std::string name, std::size_t place) {
    using Caller = own::Caller<Form, Request, Result>;
    return {[name](const Connections& connections, const kit::Json& payloads) {
                const auto pairs = own::pairs_of<Form, Request, Result>(payloads);
                kit::Calls calls;
                for (const auto& connection : connections) {
                    auto invoke = [name, connection](const Request& request, Result& answer) {
                        Form::read(connection->call(name, Form::plain(request)), answer);
                    };
                    calls.push_back(std::make_unique<Caller>(std::move(invoke), pairs));
                }
                return calls;
            },
            [name, place](std::shared_ptr<kit::Service> service) -> Answer {
                const auto answers = std::make_shared<own::Answers<Form, Request, Result>>(std::move(service), name, place);
                return [answers](const kit::Json& tree) {
                    Request request{};
                    Form::read(tree, request);
                    return Form::plain(*answers->of(request));
                };
            }};
}

kit::Stack stack(Methods methods);

/// The libraries, with their versions.
std::map<std::string, std::string> libraries();

} // namespace http
