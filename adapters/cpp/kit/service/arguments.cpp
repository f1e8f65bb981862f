#include "arguments.hpp"

#include <algorithm>
#include <charconv>

#include "../failure.hpp"
#include "generate.hpp"

namespace kit::arguments {
namespace {

constexpr std::int64_t LEAST_INT = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t MOST_INT = std::numeric_limits<std::int32_t>::max();

std::int32_t integer(const Json& given, const std::string& name) {
    return static_cast<std::int32_t>(whole(name, member(given, name), LEAST_INT, MOST_INT));
}

std::string text(const Json& given, const std::string& name) {
    const auto& value = member(given, name);
    if (!value.is_string()) {
        refuse(name, value, "a string");
    }
    return value.get<std::string>();
}

std::uint64_t seed_of(const Json& given) {
    if (!given.contains("seed")) {
        return 1;
    }
    const auto& seed = given.at("seed");
    if (seed.is_number_integer() && (seed.is_number_unsigned() || seed.get<std::int64_t>() >= 0)) {
        return seed.get<std::uint64_t>();
    }
    if (seed.is_string()) {
        const auto spelt = seed.get<std::string>();
        std::uint64_t number = 0;
        const auto [end, trouble] = std::from_chars(spelt.data(), spelt.data() + spelt.size(), number);
        if (trouble == std::errc{} && end == spelt.data() + spelt.size()) {
            return number;
        }
    }
    refuse("seed", seed, "a whole number from 0 to 18446744073709551615, as a number or a decimal string");
}

std::size_t count_of(const Json& given) {
    return static_cast<std::size_t>(whole("count", member(given, "count"), 0, static_cast<std::int64_t>(MOST_ELEMENTS)));
}

/// Whether the value is spelt out; else it is made from a content.
bool is_literal(const Json& given) {
    const bool value = given.contains("value");
    const bool content = given.contains("content");
    if (value && content) {
        throw bad("value and content exclude each other: leave one of them out");
    }
    if (!value && !content) {
        throw bad("the argument value or content is missing");
    }
    return value;
}

generate::Content content_of(const Json& given) {
    using Way = generate::Content::Way;
    const auto& name = given.at("content");
    if (name == "fixed") {
        return {Way::fixed, 1};
    }
    if (name == "random") {
        return {Way::random, seed_of(given)};
    }
    if (name == "bmp") {
        return {Way::bmp, seed_of(given)};
    }
    refuse("content", name, "fixed, random or bmp");
}

Call send(const Json& given) {
    const auto name = text(given, "type");
    const bool array = name.ends_with("[]");
    const auto element = array ? name.substr(0, name.size() - 2) : name;
    const auto* const found = std::ranges::find(generate::TYPES, element);
    if (found == generate::TYPES.end()) {
        throw bad("type is " + name.substr(0, 64) +
                  ": it must be boolean, byte, char, short, int, long, float, double, string or object, or one of these with [] behind it");
    }
    const auto place = static_cast<std::size_t>(found - generate::TYPES.begin());
    if (is_literal(given)) {
        return Send{literal(place, array, given.at("value"))};
    }
    const auto content = content_of(given);
    auto made = generate::value(place, array, content, array || element == "string" ? count_of(given) : 1);
    if (!made) {
        throw bad("content bmp is for string and char[], not for " + name);
    }
    return Send{*std::move(made)};
}

Call echo_structure(const Json& given) {
    // n itself never travels, so no server could refuse it.
    const auto n = integer(given, "n");
    if (n < 0 || n > MOST) {
        throw bad("n is " + std::to_string(n) + ": it must be from 0 to " + std::to_string(MOST));
    }
    return EchoStructure{generate::structure(static_cast<std::size_t>(n))};
}

} // namespace

void refuse(const std::string& name, const Json& given, const std::string& right) {
    throw bad(name + " is " + given.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 64) + ": it must be " + right);
}

const Json& member(const Json& object, const std::string& name) {
    if (!object.is_object() || !object.contains(name)) {
        throw bad("the argument " + name + " is missing");
    }
    return object.at(name);
}

std::int64_t whole(const std::string& name, const Json& given, std::int64_t least, std::int64_t most) {
    const bool too_large = given.is_number_unsigned() && given.get<std::uint64_t>() > static_cast<std::uint64_t>(most);
    if (given.is_number_integer() && !too_large) {
        const auto number = given.get<std::int64_t>();
        if (number >= least && number <= most) {
            return number;
        }
    }
    refuse(name, given, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
}

Call call(const std::string& name, const Json& given) {
    if (name == "Empty") {
        return Empty{};
    }
    if (name == "Hello") {
        return Hello{};
    }
    if (name == "Sum") {
        return Sum{integer(given, "a"), integer(given, "b")};
    }
    if (name == "GetPersons") {
        return GetPersons{integer(given, "n")};
    }
    if (name == "FindItems") {
        return FindItems{integer(given, "n")};
    }
    if (name == "GetBinaryData") {
        return GetBinaryData{integer(given, "size"), from_utf8(text(given, "fill"))};
    }
    if (name == "EchoStructure") {
        return echo_structure(given);
    }
    if (name == "EchoString") {
        return EchoString{is_literal(given) ? literal_text(given.at("value")) : generate::string(content_of(given), count_of(given))};
    }
    if (name == "Send") {
        return send(given);
    }
    throw bad("the service has no call " + name.substr(0, 64));
}

} // namespace kit::arguments
