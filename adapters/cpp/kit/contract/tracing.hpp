/// A golden trace, from the request to the answer.
#pragma once

#include "../drive/trace.hpp"
#include "requests.hpp"

namespace kit::requests {

/// The trace that is to be played. Throws bad_request.
Trace trace(const Json& request);

Json traced(const Traced& what, bool open);

} // namespace kit::requests
