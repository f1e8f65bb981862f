/// The calls of a client, made ready with the IDL's types.
#pragma once

#include "../kit/stack.hpp"
#include "service.hh"

namespace corba {

/// Throws Failure of kind cannot_carry where CORBA has no such value.
std::unique_ptr<kit::Prepared> prepared(const callbench::SpeedService_var& service, const kit::Call& call);

} // namespace corba
