/// Arrivals of an open loop, replayed from the gaps that the core wrote.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace kit {

/// Gaps between arrivals in nanoseconds, replayed in a circle.
using Schedule = std::vector<std::uint64_t>;

/// Reads a file of little-endian 64-bit gaps, 1 to 2^20 of them. Throws bad_request.
Schedule read_schedule(const std::string& path);

/// The one queue of arrivals still to come.
class Arrivals {
  public:
    explicit Arrivals(const Schedule& schedule) : schedule_(schedule) {}

    /// Takes the next arrival and gives when it is due, since the start; nothing where it comes after `calls` arrivals and `length_ns`.
    std::optional<std::uint64_t> take(std::uint64_t calls, std::uint64_t length_ns);

  private:
    const Schedule& schedule_;
    std::mutex lock_;
    std::uint64_t number_ = 0;
    std::uint64_t due_ns_ = 0;
};

} // namespace kit
