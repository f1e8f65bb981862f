/// The check of an answer in constant time. It checks the last field always, and every field after some time. contract/RUNNER.md defines
/// it.
#pragma once

#include <cstddef>
#include <string_view>

namespace kit {

/// Texts up to this length are compared completely.
constexpr std::size_t WHOLE = 64;

/// For lists of equal length, compares the last element and the one for this turn. `same` compares the elements at an index.
template <typename Same>
bool same_elements(std::size_t length, std::size_t turn, const Same& same) {
    return length == 0 || (same(length - 1) && same(turn % length));
}

template <typename Unit>
bool same_text(std::basic_string_view<Unit> found, std::basic_string_view<Unit> right, std::size_t turn) {
    if (found.size() != right.size() || found.size() <= WHOLE) {
        return found == right;
    }
    return same_elements(found.size(), turn, [&](std::size_t at) { return found[at] == right[at]; });
}

} // namespace kit
