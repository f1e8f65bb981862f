/// Holds the clients back until all are there, so that they start together; and knows when all have left.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "../clock.hpp"

namespace kit {

class Gate {
  public:
    /// A client waits for the common start; nothing where the drive is off.
    std::optional<std::uint64_t> wait() {
        std::unique_lock alone{lock_};
        ++arrived_;
        changed_.notify_all();
        changed_.wait(alone, [this] { return opened_; });
        return start_;
    }

    /// Waits until so many clients wait.
    void await_clients(std::size_t clients) {
        std::unique_lock alone{lock_};
        changed_.wait(alone, [&] { return arrived_ >= clients; });
    }

    /// Opens for a start at `at`, or as soon as so many clients can be awake; gives the start.
    std::uint64_t open(std::uint64_t at, std::size_t clients) {
        const auto start = std::max(at, clock::now() + 100'000 + 10'000 * clients);
        set(start);
        return start;
    }

    /// Opens to go home.
    void abandon() { set(std::nullopt); }

    /// A client has ended.
    void leave() {
        const std::scoped_lock alone{lock_};
        ++left_;
        changed_.notify_all();
    }

    /// Waits until `clients` have left, but no longer than to `until`; whether they have.
    bool await_end(std::size_t clients, std::uint64_t until) {
        std::unique_lock alone{lock_};
        const auto now = clock::now();
        const std::chrono::nanoseconds most{until > now ? until - now : 0};
        return changed_.wait_for(alone, most, [&] { return left_ >= clients; });
    }

  private:
    void set(std::optional<std::uint64_t> start) {
        const std::scoped_lock alone{lock_};
        start_ = start;
        opened_ = true;
        changed_.notify_all();
    }

    std::mutex lock_;
    std::condition_variable changed_;
    std::size_t arrived_ = 0;
    std::size_t left_ = 0;
    bool opened_ = false;
    std::optional<std::uint64_t> start_;
};

} // namespace kit
