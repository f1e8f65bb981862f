/// The generator behind all data: Steele, Lea and Flood's SplitMix64, whose state is one word.
#pragma once

#include <cstdint>

namespace kit {

class SplitMix64 {
  public:
    explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

    /// The next 64 bits.
    std::uint64_t next() {
        state_ += 0x9E3779B97F4A7C15U;
        auto z = state_;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
        return z ^ (z >> 31);
    }

    /// A number below `below`, which is from 1 to 2^32.
    std::uint64_t draw(std::uint64_t below) { return ((next() >> 32) * below) >> 32; }

  private:
    std::uint64_t state_;
};

} // namespace kit
