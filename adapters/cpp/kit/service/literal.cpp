/// Values that the arguments spell out: canonical JSON, and where a person would rather write one, a plain number.
#include <bit>
#include <charconv>
#include <limits>
#include <type_traits>

#include "arguments.hpp"

namespace kit::arguments {
namespace {

/// The number of a text wholly made of its digits; nothing else.
template <typename T>
std::optional<T> parsed(std::string_view digits, int base) {
    T number{};
    const auto [end, trouble] = std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
    const bool whole_text = trouble == std::errc{} && end == digits.data() + digits.size();
    return whole_text ? std::optional{number} : std::nullopt;
}

template <typename T, typename Bits>
T floating(const Json& given, const std::string& right) {
    if (given.is_string()) {
        const auto spelt = given.get<std::string>();
        const bool hex = spelt.size() == 2 + 2 * sizeof(Bits) && spelt.starts_with("0x");
        const auto bits = hex ? parsed<Bits>(std::string_view{spelt}.substr(2), 16) : std::nullopt;
        if (bits) {
            return std::bit_cast<T>(*bits);
        }
    } else if (given.is_number()) {
        return static_cast<T>(given.get<double>());
    }
    refuse("value", given, right);
}

std::int64_t long_of(const Json& given) {
    if (given.is_string()) {
        if (const auto number = parsed<std::int64_t>(given.get<std::string>(), 10)) {
            return *number;
        }
        refuse("value", given, "a decimal string of 64 bits");
    }
    return whole("value", given, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max());
}

template <typename T>
T scalar(const Json& given) {
    if constexpr (std::is_same_v<T, bool>) {
        if (!given.is_boolean()) {
            refuse("value", given, "true or false");
        }
        return given.get<bool>();
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
        return long_of(given);
    } else if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(whole("value", given, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
    } else if constexpr (std::is_same_v<T, float>) {
        return floating<float, std::uint32_t>(given, "a number, or 0x and 8 hexadecimal digits");
    } else if constexpr (std::is_same_v<T, double>) {
        return floating<double, std::uint64_t>(given, "a number, or 0x and 16 hexadecimal digits");
    } else if constexpr (std::is_same_v<T, Text>) {
        return literal_text(given);
    } else {
        if (!given.is_object()) {
            refuse("value", given, "a Person: ID, FirstName and LastName");
        }
        return Person{scalar<std::int32_t>(member(given, "ID")), literal_text(member(given, "FirstName")),
                      literal_text(member(given, "LastName"))};
    }
}

template <typename T>
Value of(bool array, const Json& given) {
    if (!array) {
        return scalar<T>(given);
    }
    if (!given.is_array()) {
        refuse("value", given, "an array");
    }
    std::vector<T> all;
    all.reserve(given.size());
    for (const auto& element : given) {
        all.push_back(scalar<T>(element));
    }
    return all;
}

template <std::size_t... Places>
Value of_place(std::size_t place, bool array, const Json& given, std::index_sequence<Places...>) {
    Value value;
    (void)((place == Places && (value = of<std::variant_alternative_t<Places, Value>>(array, given), true)) || ...);
    return value;
}

} // namespace

Text literal_text(const Json& given) {
    if (given.is_string()) {
        return from_utf8(given.get<std::string>());
    }
    if (!given.is_object() || !given.contains("utf16") || !given.at("utf16").is_array()) {
        refuse("value", given, "a string");
    }
    Text text;
    for (const auto& unit : given.at("utf16")) {
        text.push_back(scalar<char16_t>(unit));
    }
    return text;
}

Value literal(std::size_t place, bool array, const Json& given) {
    // The first ten alternatives of Value are the types in order, the next ten their arrays.
    return of_place(place, array, given, std::make_index_sequence<10>{});
}

} // namespace kit::arguments
