/// What can go wrong in a call or a request, by the kinds of contract/CONTRACT.md.
#pragma once

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace kit {

enum class Kind : std::size_t {
    timeout,
    refused,
    closed,
    protocol,
    fault,
    wrong_answer,
    too_large,
    cannot_carry,
    out_of_resources,
    bad_request,
    unsupported,
    internal,
};

/// The contract's names, in the order of `Kind`.
inline constexpr std::array<std::string_view, 12> KIND_NAMES = {
    "timeout",   "refused",      "closed",           "protocol",    "fault",       "wrong-answer",
    "too-large", "cannot-carry", "out-of-resources", "bad-request", "unsupported", "internal"};

/// A failure with its kind and one sentence a person can act on.
class Failure : public std::runtime_error {
  public:
    Failure(Kind what, const std::string& message) : std::runtime_error(message), kind(what) {}

    Kind kind;
};

/// A request that is wrong.
inline Failure bad(const std::string& message) { return Failure{Kind::bad_request, message}; }

} // namespace kit
