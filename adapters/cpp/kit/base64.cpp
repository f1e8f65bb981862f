#include "base64.hpp"

#include <openssl/evp.h>

namespace kit {

std::size_t from_base64(const std::string& text, std::uint8_t* into) {
    EVP_DecodeBlock(into, static_cast<const std::uint8_t*>(static_cast<const void*>(text.data())), static_cast<int>(text.size()));
    // The padding was decoded to bytes of 0.
    return room_of_base64(text) - (text.size() - (text.find_last_not_of('=') + 1));
}

std::string to_base64(std::span<const std::uint8_t> octets) {
    // One more: OpenSSL ends what it writes with a 0.
    std::string text((octets.size() + 2) / 3 * 4 + 1, '\0');
    EVP_EncodeBlock(static_cast<std::uint8_t*>(static_cast<void*>(text.data())), octets.data(), static_cast<int>(octets.size()));
    text.pop_back();
    return text;
}

} // namespace kit
