/// The waits and the work a service is told to make, so that the instrument can be tested against a known answer.
#pragma once

#include <cstdint>

#include "arguments.hpp"

namespace kit {

/// How long each call waits and works, and how often the whole service stands still: for `stall_us` at the end of every `stall_every_us`.
class Delays {
  public:
    Delays() = default;

    /// Reads `delay_us`, `stall_us`, `stall_every_us` and `burn_us`. Throws bad_request.
    explicit Delays(const Json& options);

    void wait() const;

    /// How long a call still waits that comes `elapsed_ns` after the start: every call within the stall waits for its end, as with a
    /// server that really stands still.
    [[nodiscard]] std::uint64_t left_of_stall(std::uint64_t elapsed_ns) const;

  private:
    std::uint64_t each_ns_ = 0;
    std::uint64_t burn_ns_ = 0;
    std::uint64_t stall_ns_ = 0;
    std::uint64_t every_ns_ = 0;
    std::uint64_t since_ = 0;
};

} // namespace kit
