/// Octets of plain values: base64 with the standard alphabet and padding.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace kit {

/// The size of the buffer for decoded base64.
inline std::size_t room_of_base64(const std::string& text) { return text.size() / 4 * 3; }

/// Decodes base64 into a large enough buffer. Returns the number of bytes.
std::size_t from_base64(const std::string& text, std::uint8_t* into);

std::string to_base64(std::span<const std::uint8_t> octets);

} // namespace kit
