#include "text.hpp"

#include <bit>
#include <optional>

namespace corba {
namespace {

/// The UTF-16 of valid UTF-8.
std::wstring units_of(std::string_view bytes) {
    std::wstring units;
    units.reserve(bytes.size());
    for (std::size_t at = 0; at < bytes.size();) {
        const auto first = static_cast<unsigned char>(bytes[at++]);
        const int ones = std::countl_one(first);
        char32_t point = first & (0xFFU >> (ones + 1));
        for (int left = ones; left > 1; --left) {
            point = (point << 6) | (static_cast<unsigned char>(bytes[at++]) & 0x3FU);
        }
        if (point >= 0x10000) {
            units.push_back(static_cast<wchar_t>(0xD800 + ((point - 0x10000) >> 10)));
            point = 0xDC00 + (point & 0x3FF);
        }
        units.push_back(static_cast<wchar_t>(point));
    }
    return units;
}

void put(std::string& bytes, char32_t point) {
    if (point < 0x80) {
        bytes.push_back(static_cast<char>(point));
        return;
    }
    int follow = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    bytes.push_back(static_cast<char>((0xFFU << (7 - follow)) | (point >> (6 * follow))));
    while (follow-- > 0) {
        bytes.push_back(static_cast<char>(0x80U | ((point >> (6 * follow)) & 0x3FU)));
    }
}

/// Converts UTF-16 to UTF-8; `lone` replaces each unpaired surrogate.
std::optional<std::string> utf8_of(std::wstring_view units, std::optional<char32_t> lone) {
    std::string bytes;
    bytes.reserve(units.size());
    const auto is_in = [](char32_t unit, char32_t first) { return unit >= first && unit < first + 0x400; };
    for (std::size_t at = 0; at < units.size(); ++at) {
        auto point = static_cast<char32_t>(units[at]);
        if (is_in(point, 0xD800) && at + 1 < units.size() && is_in(static_cast<char32_t>(units[at + 1]), 0xDC00)) {
            point = 0x10000 + ((point - 0xD800) << 10) + (static_cast<char32_t>(units[++at]) - 0xDC00);
        } else if (is_in(point, 0xD800) || is_in(point, 0xDC00)) {
            if (!lone) {
                return std::nullopt;
            }
            point = *lone;
        }
        put(bytes, point);
    }
    return bytes;
}

} // namespace

std::wstring wide(const kit::Json& plain) {
    std::wstring units;
    if (plain.is_object()) {
        for (const auto& unit : plain.at("utf16")) {
            units.push_back(static_cast<wchar_t>(unit.get<std::uint16_t>()));
        }
    } else {
        units = units_of(plain.get_ref<const std::string&>());
    }
    if (units.find(L'\0') != std::wstring::npos) {
        throw kit::Failure{"cannot-carry", "a wide string of CORBA ends at U+0000 in C++, and this one has it inside"};
    }
    return units;
}

kit::Json plain_text(std::wstring_view units) {
    if (auto bytes = utf8_of(units, std::nullopt)) {
        return std::move(*bytes);
    }
    return {{"utf16", std::vector<std::uint16_t>(units.begin(), units.end())}};
}

std::string utf8(std::wstring_view units) { return *utf8_of(units, U'?'); }

} // namespace corba
