#include "service.hpp"

#include "clock.hpp"

namespace kit {
namespace {

/// May have a fraction: a share of a call that takes a microsecond is a few nanoseconds.
std::uint64_t nanoseconds(const Json& delays, const char* name) { return static_cast<std::uint64_t>(delays.value(name, 0.0) * 1000); }

} // namespace

Service::Service(Host& host, const Json& delays)
    : host_(host), delay_ns_(nanoseconds(delays, "delay_us")), burn_ns_(nanoseconds(delays, "burn_us")),
      stall_ns_(nanoseconds(delays, "stall_us")), stall_every_ns_(nanoseconds(delays, "stall_every_us")), since_(clock::now()) {}

void Service::delay() const {
    clock::Machine machine;
    if (delay_ns_ > 0) {
        clock::wait_until(machine, clock::now() + delay_ns_, 0);
    }
    if (stall_every_ns_ > 0) {
        // Every call within the stall waits for its end, as with a server that really stands still.
        const auto now = clock::now();
        const auto left = stall_every_ns_ - (now - since_) % stall_every_ns_;
        clock::wait_until(machine, left <= stall_ns_ ? now + left : now, 0);
    }
    clock::burn(machine, burn_ns_);
}

Json Service::counted() {
    Json counts = Json::object();
    for (std::size_t at = 0; at < OPERATIONS.size(); ++at) {
        if (const auto count = counts_.at(at).exchange(0, std::memory_order_relaxed); count > 0) {
            counts[std::string{OPERATIONS.at(at)}] = count;
        }
    }
    return counts;
}

} // namespace kit
