/// What a technology supplies: for each stack a server, and clients that make prepared calls. Everything else is the kit's.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace kit {

using Json = nlohmann::json;

/// A failure: its kind, in the words of contract/CONTRACT.md, and one sentence a person can act on.
class Failure : public std::runtime_error {
  public:
    Failure(std::string what, const std::string& message) : std::runtime_error(message), kind(std::move(what)) {}

    std::string kind;
};

/// A base class that cannot be copied. Its owner may destroy it.
class Held {
  public:
    Held() = default;
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    virtual ~Held() = default;
};

/// A prepared call that one client makes repeatedly. Its payloads are used in rotation, by the number of the client's call from 0.
class Call : public Held {
  public:
    /// Makes the call and keeps its complete answer in the types of the library's users. Only this is timed. Throws Failure, of kind fault
    /// if the server refused.
    virtual void make(std::size_t turn) = 0;

    /// Whether the kept answer is correct, by the check of RUNNER.md. The answer is then released.
    virtual bool right(std::size_t turn) = 0;

    /// The kept answer as a plain value.
    virtual Json plain() = 0;
};

using Calls = std::vector<std::unique_ptr<Call>>;

/// The clients of one `connect`, until it is destroyed.
class Clients : public Held {
  public:
    /// How many connections are open.
    [[nodiscard]] virtual std::size_t connections() const = 0;

    /// A call for each client, with arguments and right answers in the library's own types. Each of `payloads` has plain `arguments`,
    /// and an `answer`, or a `fault` where no answer is right. Throws Failure, of kind cannot_carry where the stack has no such value.
    virtual Calls prepare(const std::string& operation, const Json& payloads) = 0;
};

/// Something being served, until it is destroyed.
class Server : public Held {
  public:
    [[nodiscard]] virtual std::string endpoint() const = 0;
};

class Service;

struct Stack {
    /// The part of its id after the slash.
    std::string name;
    /// Why it cannot run on this machine; empty if it can.
    std::string unavailable;
    /// Serves on an address and a port, 0 for any. Throws Failure.
    std::function<std::unique_ptr<Server>(std::shared_ptr<Service>, const std::string& host, int port)> serve;
    /// Connects this number of clients with the timeout of each call. Throws Failure.
    std::function<std::unique_ptr<Clients>(const std::string& endpoint, std::size_t clients, std::uint64_t timeout_ms)> connect;
};

/// What a program has: its libraries with the versions found at run time, and its stacks.
struct Adapter {
    std::string version;
    std::map<std::string, std::string> libraries;
    std::vector<Stack> stacks;
    /// The calls of a service of the user's own, which are carried instead of Callbench's. Empty: there is none.
    std::vector<std::string> own;
};

/// Speaks the runner protocol of contract/RUNNER.md until `stop`, and ends the process. `make` is called after standard output is reserved
/// for the kit.
[[noreturn]] void run(const std::function<Adapter()>& make);

} // namespace kit
