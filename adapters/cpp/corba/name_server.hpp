/// The naming service of a server: omniNames on its own port. It ends with the server.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace corba {

/// Where the program omniNames is; empty where it is not installed.
std::string find_omninames();

class NameServer {
  public:
    /// Starts omniNames on a free port of `host`. It may not yet answer. Throws Failure.
    explicit NameServer(const std::string& host);
    NameServer(const NameServer&) = delete;
    NameServer& operator=(const NameServer&) = delete;
    ~NameServer();

    [[nodiscard]] std::uint16_t port() const { return port_; }

    /// Whether it still runs.
    [[nodiscard]] bool runs() const;

    /// Deletes its open files, so that nothing is left behind, however this process ends.
    void forget_files();

  private:
    std::string folder_;
    std::uint16_t port_ = 0;
    pid_t process_ = -1;
};

} // namespace corba
