/// Makes every argument and every answer from a short description, as contract/SERVICE.md tells it.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "call.hpp"
#include "splitmix.hpp"

namespace kit::generate {

/// What GetBinaryData fills its answer with.
enum class Fill { article, random, zero, text };

std::optional<Fill> fill_named(std::u16string_view name);

Octets binary(std::size_t size, Fill fill);

Person person(std::size_t index);

std::vector<Person> persons(std::size_t n);

/// What EchoStructure sends: the structure of size `n`.
Structure structure(std::size_t n);

/// What FindItems answers.
SearchResponse search_response(std::size_t n);

/// What the elements of a Send or a string are made of.
struct Content {
    enum class Way { fixed, random, bmp } way;
    std::uint64_t seed;
};

/// A string of `count` characters, for EchoString and a scalar Send.
Text string(Content content, std::size_t count);

/// The types that Send has, in the order of `Value`.
inline constexpr std::array<std::string_view, 10> TYPES = {"boolean", "byte",  "char",   "short",  "int",
                                                           "long",    "float", "double", "string", "object"};

/// The value of a Send of the type at `place` of TYPES. Nothing where `bmp` is not for this type.
std::optional<Value> value(std::size_t place, bool array, Content content, std::size_t count);

} // namespace kit::generate
