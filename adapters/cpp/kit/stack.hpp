/// What an adapter supplies: for each stack a server, and clients that make one call. Everything else is the kit's.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "service/expectation.hpp"
#include "service/service.hpp"

namespace kit {

/// A call made ready once, its arguments in the stack's own types, to be made again and again by one client.
class Prepared {
  public:
    Prepared() = default;
    Prepared(const Prepared&) = delete;
    Prepared& operator=(const Prepared&) = delete;
    virtual ~Prepared() = default;

    /// Makes the call and keeps its answer, complete and in the library's own types: this alone is timed. Throws Failure.
    virtual void make() = 0;

    /// Whether the answer that was kept is right as far as constant time shows; it is kept no longer.
    virtual bool right() = 0;

    /// Makes the call and gives its whole answer. Throws Failure, of kind fault where the server refused.
    virtual Answer answer() = 0;
};

/// One client.
class Client {
  public:
    Client() = default;
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;
    virtual ~Client() = default;

    /// Makes a call ready. Throws Failure of kind cannot_carry where the stack has no such value.
    virtual std::unique_ptr<Prepared> prepare(const Call& call) = 0;
};

/// The clients of one `connect`.
struct Clients {
    std::vector<std::unique_ptr<Client>> all;
    /// Open after it.
    std::size_t connections = 0;
};

/// Something being served, until it is destroyed.
class Server {
  public:
    Server() = default;
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    virtual ~Server() = default;

    [[nodiscard]] virtual std::string endpoint() const = 0;
};

struct Listen {
    std::string host;
    std::uint16_t port = 0;
};

struct Connect {
    std::string endpoint;
    std::size_t clients = 1;
    std::chrono::milliseconds timeout{};
};

class Stack {
  public:
    Stack() = default;
    Stack(const Stack&) = delete;
    Stack& operator=(const Stack&) = delete;
    virtual ~Stack() = default;

    /// The part of its id after the slash.
    [[nodiscard]] virtual std::string name() const = 0;

    /// Why it cannot run on this machine, or nothing.
    [[nodiscard]] virtual std::optional<std::string> unavailable() const { return std::nullopt; }

    /// Throws Failure.
    virtual std::unique_ptr<Server> serve(std::shared_ptr<Service> service, const Listen& at) = 0;

    /// Throws Failure.
    virtual Clients connect(const Connect& to) = 0;
};

/// An adapter: its name, its libraries with the versions found at run time, its stacks.
struct Adapter {
    std::string name;
    std::string version;
    std::map<std::string, std::string> libraries;
    std::vector<std::unique_ptr<Stack>> stacks;
};

} // namespace kit
