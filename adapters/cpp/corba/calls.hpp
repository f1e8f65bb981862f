/// The calls of clients, made ready in the IDL's types.
#pragma once

#include "../kit/stack.hpp"
#include "service.hh"

namespace corba {

/// A call of `operation` for each client. Throws Failure of kind cannot_carry if CORBA has no such value.
kit::Calls prepared(const callbench::SpeedService_var& service, const std::string& operation, const kit::Json& payloads,
                    std::size_t clients);

} // namespace corba
