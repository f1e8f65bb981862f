#include "delays.hpp"

#include "../clock.hpp"
#include "../failure.hpp"

namespace kit {
namespace {

constexpr std::int64_t MOST_US = 3'600'000'000;
constexpr double MOST_BURNT_US = 1e6;

std::optional<std::uint64_t> nanoseconds(const Json& options, const std::string& name) {
    if (!options.contains(name) || options.at(name).is_null()) {
        return std::nullopt;
    }
    return static_cast<std::uint64_t>(arguments::whole(name, options.at(name), 0, MOST_US)) * 1000U;
}

/// May have a fraction: a share of a call that takes a microsecond is a few nanoseconds.
std::uint64_t burning(const Json& options) {
    if (!options.contains("burn_us") || options.at("burn_us").is_null()) {
        return 0;
    }
    const auto& given = options.at("burn_us");
    if (!given.is_number() || given.get<double>() < 0 || given.get<double>() > MOST_BURNT_US) {
        arguments::refuse("burn_us", given, "a number of microseconds from 0 to 1000000");
    }
    return static_cast<std::uint64_t>(given.get<double>() * 1000);
}

} // namespace

Delays::Delays(const Json& options)
    : each_ns_(nanoseconds(options, "delay_us").value_or(0)), burn_ns_(burning(options)), since_(clock::now()) {
    const auto stall = nanoseconds(options, "stall_us");
    const auto every = nanoseconds(options, "stall_every_us");
    if (stall.has_value() != every.has_value()) {
        throw bad("stall_us and stall_every_us must be given together");
    }
    if (stall && *stall >= *every) {
        throw bad("stall_us must be less than stall_every_us");
    }
    stall_ns_ = stall.value_or(0);
    every_ns_ = every.value_or(0);
}

void Delays::wait() const {
    clock::Machine machine;
    if (each_ns_ > 0) {
        clock::wait_until(machine, clock::now() + each_ns_, 0);
    }
    if (every_ns_ > 0) {
        const auto now = clock::now();
        if (const auto left = left_of_stall(now - since_); left > 0) {
            clock::wait_until(machine, now + left, 0);
        }
    }
    if (burn_ns_ > 0) {
        clock::burn(machine, burn_ns_);
    }
}

std::uint64_t Delays::left_of_stall(std::uint64_t elapsed_ns) const {
    const auto left = every_ns_ - elapsed_ns % every_ns_;
    return left <= stall_ns_ ? left : 0;
}

} // namespace kit
