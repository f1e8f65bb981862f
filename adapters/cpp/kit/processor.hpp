/// What the whole process uses: processor time and heap.
#pragma once

#include <cstdint>

namespace kit {

/// Nanoseconds spent in user and in system mode since the process began, all its threads together.
struct Usage {
    std::uint64_t user_ns = 0;
    std::uint64_t system_ns = 0;
};

Usage processor_usage();

/// Bytes that the allocator has given out, in its heap and in mappings of their own.
std::uint64_t heap_used_bytes();

} // namespace kit
