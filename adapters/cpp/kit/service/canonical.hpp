/// Canonical JSON, in which an adapter tells the core what a call answered.
#pragma once

#include "arguments.hpp"

namespace kit::canonical {

/// The canonical form of an answer.
Json answer(const Answer& answer);

/// The canonical form of what a Send sends.
Json sent(const Value& value);

/// The value as it crosses the contract: itself, or the digest of its canonical text where that is longer than 4096 bytes.
Json digest_if_large(Json value);

} // namespace kit::canonical
