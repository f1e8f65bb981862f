#include "schedule.hpp"

#include <fstream>
#include <iterator>

#include "../failure.hpp"

namespace kit {
namespace {

constexpr std::size_t MOST = std::size_t{1} << 20;

} // namespace

Schedule read_schedule(const std::string& path) {
    std::ifstream file{path, std::ios::binary};
    if (!file) {
        throw bad("the schedule " + path + " cannot be read");
    }
    const std::string bytes{std::istreambuf_iterator<char>{file}, {}};
    if (bytes.empty() || bytes.size() % 8 != 0 || bytes.size() / 8 > MOST) {
        throw bad("the schedule " + path + " has " + std::to_string(bytes.size()) + " bytes: it must be 1 to " + std::to_string(MOST) +
                  " gaps of 8 bytes");
    }
    Schedule gaps(bytes.size() / 8);
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        gaps[at / 8] |= std::uint64_t{static_cast<unsigned char>(bytes[at])} << (8 * (at % 8));
    }
    return gaps;
}

std::optional<std::uint64_t> Arrivals::take(std::uint64_t calls, std::uint64_t length_ns) {
    const std::scoped_lock alone{lock_};
    const auto due = due_ns_ + schedule_[number_ % schedule_.size()];
    if (number_ >= calls && due >= length_ns) {
        return std::nullopt;
    }
    ++number_;
    due_ns_ = due;
    return due;
}

} // namespace kit
