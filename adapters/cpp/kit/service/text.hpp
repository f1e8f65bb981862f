/// Text as the service has it: UTF-16 units, so that a surrogate without its partner can be held.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kit {

using Text = std::u16string;

/// The text that valid UTF-8 stands for. What is not valid becomes U+FFFD.
Text from_utf8(std::string_view bytes);

/// UTF-8, or nothing where a surrogate has no partner.
std::optional<std::string> to_utf8(std::u16string_view text);

/// Plain ASCII, unit by unit.
Text from_ascii(std::string_view ascii);

} // namespace kit
