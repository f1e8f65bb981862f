/// The check of an answer, in constant time: what looks at every field in time and at the last one always. contract/RUNNER.md has the rule.
#pragma once

#include <cstddef>
#include <string_view>

namespace kit {

/// Texts up to here are looked at whole.
constexpr std::size_t WHOLE = 64;

/// Of lists of one length, the last element and the one whose turn it is; `same` compares those at a place.
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
