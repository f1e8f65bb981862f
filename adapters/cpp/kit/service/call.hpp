/// A call with its arguments, and an answer with its value.
#pragma once

#include <array>
#include <string_view>
#include <variant>

#include "records.hpp"

namespace kit {

/// The one parameter of Send: each type, then an array of each.
using Value = std::variant<bool, std::uint8_t, char16_t, std::int16_t, std::int32_t, std::int64_t, float, double, Text, Person,
                           std::vector<bool>, Octets, std::vector<char16_t>, std::vector<std::int16_t>, std::vector<std::int32_t>,
                           std::vector<std::int64_t>, std::vector<float>, std::vector<double>, std::vector<Text>, std::vector<Person>>;

struct Empty {};
struct Send {
    Value value;
};
struct Sum {
    std::int32_t a = 0;
    std::int32_t b = 0;
};
struct GetPersons {
    std::int32_t n = 0;
};
/// `fill` stays text here: that a server is asked for one it does not know is a case to answer, not to prevent.
struct GetBinaryData {
    std::int32_t size = 0;
    Text fill;
};
struct EchoStructure {
    Structure value;
};
struct EchoString {
    Text value;
};
struct Hello {};
struct FindItems {
    std::int32_t n = 0;
};

/// One call, in the order of `CALLS`.
using Call = std::variant<Empty, Send, Sum, GetPersons, GetBinaryData, EchoStructure, EchoString, Hello, FindItems>;

/// The names of the calls, in the order of contract/SERVICE.md.
inline constexpr std::array<std::string_view, 9> CALLS = {"Empty",         "Send",       "Sum",   "GetPersons", "GetBinaryData",
                                                          "EchoStructure", "EchoString", "Hello", "FindItems"};

/// What a call answers; nothing is std::monostate.
using Answer = std::variant<std::monostate, std::int32_t, std::vector<Person>, Octets, Structure, Text, SearchResponse>;

/// The server's own "no", in one sentence.
struct Fault {
    Text message;
};

} // namespace kit
