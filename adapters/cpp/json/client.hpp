/// The client's side of JSON-RPC over Boost.Beast.
#pragma once

#include "stack.hpp"
#include "stream.hpp"

namespace http {

/// Where a server is: the parts of its URL.
struct Place {
    std::string host;
    std::string port;
    std::string path;
};

/// Opens a connection. Each call may take so long. Throws Failure.
std::shared_ptr<Connection> connected(const Place& place, std::chrono::milliseconds timeout);

} // namespace http
