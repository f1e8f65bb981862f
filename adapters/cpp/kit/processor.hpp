/// Processor time of the whole process.
#pragma once

#include <cstdint>

namespace kit {

/// Nanoseconds spent in user and in system mode since the process began, all its threads together.
struct Usage {
    std::uint64_t user_ns = 0;
    std::uint64_t system_ns = 0;
};

Usage processor_usage();

} // namespace kit
