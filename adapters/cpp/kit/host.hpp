/// The connection with the host: requests to the runner, and questions of the runner's server to the host. Each is a line.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <optional>

#include "stack.hpp"

namespace kit {

class Host {
  public:
    /// Takes the process' standard output for itself and points file descriptor 1 at stderr, since libraries print. From then on requests
    /// are read, and the end of standard input or a SIGTERM end the process, at the latest after a second.
    Host();

    /// Writes one line. Ends the process if the host has gone.
    void say(const Json& message);

    /// The next request; nothing once the process is to end.
    std::optional<Json> next();

    /// Has the host work out the answer of a call of the service: an object with `value` or `fault`. To be called by any thread.
    Json ask(const std::string& call, const Json& arguments);

    /// Raised when the process is to end: drives end early.
    std::atomic<bool> stopping{false};

  private:
    void read();
    void end();

    std::FILE* out_;
    std::mutex writing_;
    std::mutex lock_;
    std::condition_variable changed_;
    std::deque<Json> requests_;
    std::map<std::uint64_t, Json> answers_;
    std::uint64_t asked_ = 0;
};

} // namespace kit
