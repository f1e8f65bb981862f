#include "processor.hpp"

#include <malloc.h>
#include <sys/resource.h>

namespace kit {

Usage processor_usage() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto nanoseconds = [](const timeval& time) {
        return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(time.tv_usec) * 1000U;
    };
    return {nanoseconds(used.ru_utime), nanoseconds(used.ru_stime)};
}

std::uint64_t heap_used_bytes() {
    const auto books = mallinfo2();
    return books.uordblks + books.hblkhd;
}

} // namespace kit
