/// The check of an answer of the user's own types, in constant time. contract/RUNNER.md defines it. Overloads for the messages are
/// generated.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "../kit/check.hpp"

namespace own {

/// Which elements of what is long are looked at. One client's.
class Turn {
  public:
    /// The number of the client's call, from 0.
    std::size_t number = 0;

    /// The keys of a map of a right answer, in their order. They are sorted once: the answer must stay where it is.
    template <typename Map>
    const std::vector<const void*>& keys(const Map& of) {
        auto& sorted = keys_[&of];
        if (sorted.size() != of.size()) {
            sorted.clear();
            for (const auto& entry : of) {
                sorted.push_back(&entry.first);
            }
            std::ranges::sort(sorted, [](const void* one, const void* other) { return key<Map>(one) < key<Map>(other); });
        }
        return sorted;
    }

    template <typename Map>
    static const typename Map::key_type& key(const void* of) {
        return *static_cast<const typename Map::key_type*>(of);
    }

  private:
    std::unordered_map<const void*, std::vector<const void*>> keys_;
};

template <typename T>
requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) bool same(T right, T found, Turn& /*turn*/) { return right == found; }

inline bool same(const std::string& right, const std::string& found, Turn& turn) { return kit::same_text<char>(found, right, turn.number); }

/// How elements are compared: by their types.
struct ByType {
    template <typename T>
    bool operator()(const T& right, const T& found, Turn& turn) const {
        return same(right, found, turn);
    }
};

/// Bytes are texts in C++, but are compared in another way.
struct Octets {
    bool operator()(const std::string& right, const std::string& found, Turn& turn) const {
        const auto size = right.size();
        return size == found.size() && (size == 0 || (right.front() == found.front() && right.back() == found.back() &&
                                                      right[turn.number % size] == found[turn.number % size]));
    }
};

/// Compares lengths, the last element and one other.
template <typename List, typename Compare = ByType>
bool same_list(const List& right, const List& found, Turn& turn, const Compare& compare = {}) {
    return right.size() == found.size() && kit::same_elements(static_cast<std::size_t>(right.size()), turn.number, [&](std::size_t at) {
               const auto place = static_cast<std::ptrdiff_t>(at);
               return compare(*(right.begin() + place), *(found.begin() + place), turn);
           });
}

/// Compares lengths, and the values of the last key and of one other.
template <typename Map, typename Compare = ByType>
bool same_map(const Map& right, const Map& found, Turn& turn, const Compare& compare = {}) {
    if (right.size() != found.size()) {
        return false;
    }
    const auto& keys = turn.keys(right);
    return kit::same_elements(keys.size(), turn.number, [&](std::size_t at) {
        const auto& key = Turn::key<Map>(keys[at]);
        const auto other = found.find(key);
        return other != found.end() && compare(right.find(key)->second, other->second, turn);
    });
}

} // namespace own
