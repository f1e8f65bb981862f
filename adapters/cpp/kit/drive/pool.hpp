/// The calls still to be made, shared by all clients, who draw in portions so that its counter is not fought over at every call.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace kit {

class Pool {
  public:
    /// A portion is small beside a client's fair share, so that a slow client keeps the others waiting for a short time only.
    Pool(std::uint64_t calls, std::size_t clients)
        : left_(calls), portion_(std::clamp<std::uint64_t>(calls / std::max<std::size_t>(clients, 1) / 16, 1, 256)) {}

    /// A portion of at least one call, or 0 where none is left. At least `wish` where there are enough.
    std::uint64_t draw(std::uint64_t wish) {
        const auto portion = std::max(portion_, wish);
        auto left = left_.load(std::memory_order_relaxed);
        while (left > 0 && !left_.compare_exchange_weak(left, left - std::min(left, portion), std::memory_order_relaxed)) {
        }
        return std::min(left, portion);
    }

    [[nodiscard]] bool is_empty() const { return left_.load(std::memory_order_relaxed) == 0; }

    /// Puts back what was drawn and will not be used.
    void put_back(std::uint64_t calls) { left_.fetch_add(calls, std::memory_order_relaxed); }

  private:
    std::atomic<std::uint64_t> left_;
    std::uint64_t portion_;
};

} // namespace kit
