#include "text.hpp"

#include <cstddef>
#include <cstdint>

namespace kit {
namespace {

constexpr char32_t REPLACEMENT = 0xFFFD;

void put(Text& text, char32_t point) {
    if (point < 0x10000) {
        text.push_back(static_cast<char16_t>(point));
        return;
    }
    text.push_back(static_cast<char16_t>(0xD800 + ((point - 0x10000) >> 10)));
    text.push_back(static_cast<char16_t>(0xDC00 + ((point - 0x10000) & 0x3FF)));
}

/// How many bytes follow a first byte, and the bits it carries itself; nothing where it begins no character.
struct First {
    int follow;
    char32_t bits;
};

std::optional<First> first_of(unsigned char byte) {
    if (byte < 0x80) {
        return First{0, byte};
    }
    if ((byte & 0xE0U) == 0xC0) {
        return First{1, byte & 0x1FU};
    }
    if ((byte & 0xF0U) == 0xE0) {
        return First{2, byte & 0x0FU};
    }
    if ((byte & 0xF8U) == 0xF0) {
        return First{3, byte & 0x07U};
    }
    return std::nullopt;
}

void put_bytes(std::string& bytes, char32_t point) {
    const auto tail = [&](int shift) { bytes.push_back(static_cast<char>(0x80U | ((point >> shift) & 0x3FU))); };
    if (point < 0x80) {
        bytes.push_back(static_cast<char>(point));
    } else if (point < 0x800) {
        bytes.push_back(static_cast<char>(0xC0U | (point >> 6)));
        tail(0);
    } else if (point < 0x10000) {
        bytes.push_back(static_cast<char>(0xE0U | (point >> 12)));
        tail(6);
        tail(0);
    } else {
        bytes.push_back(static_cast<char>(0xF0U | (point >> 18)));
        tail(12);
        tail(6);
        tail(0);
    }
}

} // namespace

Text from_utf8(std::string_view bytes) {
    Text text;
    text.reserve(bytes.size());
    for (std::size_t at = 0; at < bytes.size();) {
        const auto first = first_of(static_cast<unsigned char>(bytes[at++]));
        if (!first) {
            put(text, REPLACEMENT);
            continue;
        }
        char32_t point = first->bits;
        int left = first->follow;
        while (left > 0 && at < bytes.size() && (static_cast<unsigned char>(bytes[at]) & 0xC0U) == 0x80) {
            point = (point << 6) | (static_cast<unsigned char>(bytes[at++]) & 0x3FU);
            --left;
        }
        put(text, left == 0 && point <= 0x10FFFF ? point : REPLACEMENT);
    }
    return text;
}

std::optional<std::string> to_utf8(std::u16string_view text) {
    std::string bytes;
    bytes.reserve(text.size());
    for (std::size_t at = 0; at < text.size(); ++at) {
        char32_t point = text[at];
        if (point >= 0xD800 && point < 0xE000) {
            const bool paired = point < 0xDC00 && at + 1 < text.size() && text[at + 1] >= 0xDC00 && text[at + 1] < 0xE000;
            if (!paired) {
                return std::nullopt;
            }
            point = 0x10000 + ((point - 0xD800) << 10) + (text[++at] - char32_t{0xDC00});
        }
        put_bytes(bytes, point);
    }
    return bytes;
}

Text from_ascii(std::string_view ascii) { return {ascii.begin(), ascii.end()}; }

} // namespace kit
