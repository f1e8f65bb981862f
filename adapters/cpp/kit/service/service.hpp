/// The service behind every stack: it counts calls, waits as told, and makes answers. Stacks call `counted` first and answer from their
/// own types where that spares a copy.
#pragma once

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <shared_mutex>

#include "delays.hpp"
#include "generate.hpp"

namespace kit {

class Service {
  public:
    /// The options of `serve` that are the service's own, not a stack's.
    static constexpr std::array<std::string_view, 4> OPTIONS = {"delay_us", "stall_us", "stall_every_us", "burn_us"};

    explicit Service(const Json& options) : delays_(options) {}

    /// Counts one call, by its place in CALLS, and waits as told. Counted first, so that no client sees an answer not counted yet.
    void begin(std::size_t place) {
        counts_.at(place).fetch_add(1, std::memory_order_relaxed);
        delays_.wait();
    }

    /// Answers one call on the caller's thread, begin and all. Throws Fault.
    Answer answer(const Call& call);

    /// A parameter as a count; throws the Fault that names its range.
    static std::size_t within(std::u16string_view parameter, std::int32_t value, std::int32_t most);

    /// What GetBinaryData answers, kept for the next call that asks for the same: making it anew would measure the generator. Throws Fault.
    std::shared_ptr<const Octets> binary(std::int32_t size, std::u16string_view fill);

    /// What was answered since last asked, by the name of the call, without those that were not called. Faults count.
    std::map<std::string, std::uint64_t> counted();

  private:
    struct Kept {
        std::size_t size = 0;
        generate::Fill fill = generate::Fill::zero;
        std::shared_ptr<const Octets> bytes;
    };

    std::array<std::atomic<std::uint64_t>, CALLS.size()> counts_{};
    Delays delays_;
    std::shared_mutex lock_;
    Kept kept_;
};

} // namespace kit
