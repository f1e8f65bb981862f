/// The two lists of names that persons, users and text are made from; the build writes them from contract/names.
#pragma once

#include <array>
#include <string_view>

namespace kit {

extern const std::array<std::string_view, 256> FIRST_NAMES;
extern const std::array<std::string_view, 256> LAST_NAMES;

} // namespace kit
