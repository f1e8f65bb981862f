/// One conversation with the core: which request does what.
#pragma once

#include <atomic>

#include "../drive/drive.hpp"
#include "lines.hpp"

namespace kit {

class Session {
  public:
    Session(Adapter adapter, int out, std::atomic<bool>& stopping) : adapter_(std::move(adapter)), out_(out), stopping_(stopping) {}

    /// Says hello.
    void greet();

    /// Answers one line; false after `stop`.
    bool answer(const Line& line);

  private:
    Json act(std::uint64_t id, const Json& request);
    Json serve(const Json& request);
    Json stop_serving();
    Json connect(const Json& request);
    Json call(const Json& request);
    Json drive(std::uint64_t id, const Json& request);
    Json counted();
    void disconnect();
    Stack& stack_named(const std::string& name);
    Clients& connected();

    /// Writes one line; ends the process where there is nobody left to write to.
    void say(const Json& message) const;

    Adapter adapter_;
    int out_;
    std::atomic<bool>& stopping_;
    std::uint64_t last_id_ = 0;
    std::shared_ptr<Service> service_;
    std::unique_ptr<Server> server_;
    // Clients go before the server that they are connected to.
    Clients clients_;
};

} // namespace kit
