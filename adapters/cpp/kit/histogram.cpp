#include "histogram.hpp"

#include <algorithm>

namespace kit {

void Histogram::merge(const Histogram& other) {
    for (std::size_t place = 0; place < buckets_.size(); ++place) {
        buckets_[place] += other.buckets_[place];
    }
    count_ += other.count_;
    sum_ += other.sum_;
    least_ = std::min(least_, other.least_);
    greatest_ = std::max(greatest_, other.greatest_);
}

std::optional<std::uint64_t> Histogram::median() const {
    if (count_ == 0) {
        return std::nullopt;
    }
    const auto rank = (count_ + 1) / 2;
    std::uint64_t passed = 0;
    std::size_t place = 0;
    while ((passed += buckets_[place]) < rank) {
        ++place;
    }
    return lower_bound(place);
}

} // namespace kit
