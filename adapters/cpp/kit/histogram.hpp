/// The log-linear histogram of the contract: fixed memory, a few nanoseconds a record, relative error at most 1/128.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

namespace kit {

/// Times in nanoseconds: exact count, sum, least and greatest; buckets for the rest.
struct Histogram {
    /// Buckets to an octave, as a power of two.
    static constexpr int BITS = 7;
    /// Values from here on count in the last bucket: 2^42 ns are 73 minutes.
    static constexpr std::uint64_t END = std::uint64_t{1} << 42;

    /// The bucket of a value below END.
    static constexpr std::size_t index(std::uint64_t value) {
        const int above = std::max(static_cast<int>(std::bit_width(value)) - 1 - BITS, 0);
        return (static_cast<std::size_t>(above) << BITS) + (value >> above);
    }

    /// The least value of a bucket.
    static constexpr std::uint64_t lower_bound(std::size_t index) {
        const auto octave = index >> BITS;
        return octave == 0 ? index : ((1U << BITS) + (index & ((1U << BITS) - 1))) << (octave - 1);
    }

    /// One that is not `used` records nothing and takes no memory: there may be thousands of clients.
    explicit Histogram(bool used) : buckets(used ? index(END - 1) + 1 : 0) {}

    /// Counts one time.
    void record(std::uint64_t value) {
        ++buckets[index(value < END ? value : END - 1)];
        ++count;
        sum += value;
        least = std::min(least, value);
        greatest = std::max(greatest, value);
    }

    void merge(const Histogram& other) {
        std::ranges::transform(buckets, other.buckets, buckets.begin(), std::plus{});
        count += other.count;
        sum += other.sum;
        least = std::min(least, other.least);
        greatest = std::max(greatest, other.greatest);
    }

    /// The lower bound of the bucket that contains the median; nothing if the histogram is empty.
    [[nodiscard]] std::optional<std::uint64_t> median() const {
        if (count == 0) {
            return std::nullopt;
        }
        std::size_t place = 0;
        for (auto passed = buckets[0]; passed < (count + 1) / 2; passed += buckets[++place]) {
        }
        return lower_bound(place);
    }

    std::vector<std::uint64_t> buckets;
    std::uint64_t count = 0;
    std::uint64_t sum = 0;
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t greatest = 0;
};

// Worked out by hand from the contract's formula.
static_assert(Histogram::index(127) == 127 && Histogram::index(256) == 256 && Histogram::index(257) == 256);
static_assert(Histogram::index(511) == 383 && Histogram::index(512) == 384 && Histogram::index(1000) == 506);
static_assert(Histogram::lower_bound(506) == 1000 && Histogram::lower_bound(384) == 512 && Histogram::lower_bound(5) == 5);

} // namespace kit
