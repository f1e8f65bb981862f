/// Reads a call from its name and the arguments of the contract.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "call.hpp"

namespace kit {

using Json = nlohmann::json;

namespace arguments {

/// The largest `n` of any call.
inline constexpr std::int32_t MOST = 1'000'000;
/// The most elements or characters that a `content` makes.
inline constexpr std::uint64_t MOST_ELEMENTS = 16'777'216;

/// The call `name` with `given`. Members it does not take are ignored. Throws a Failure of kind bad_request where they make no call.
Call call(const std::string& name, const Json& given);

/// A whole number from `least` to `most`, else bad_request naming `name`.
std::int64_t whole(const std::string& name, const Json& given, std::int64_t least, std::int64_t most);

/// The member that has to be there.
const Json& member(const Json& object, const std::string& name);

/// What is wrong, what it is and what it must be.
[[noreturn]] void refuse(const std::string& name, const Json& given, const std::string& right);

/// The value of a Send that canonical JSON spells out, for the type at `place` of generate::TYPES.
Value literal(std::size_t place, bool array, const Json& given);

/// A string, or one spelt as its UTF-16 units.
Text literal_text(const Json& given);

} // namespace arguments
} // namespace kit
