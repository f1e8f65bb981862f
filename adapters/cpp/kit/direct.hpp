/// Stacks without a message and without a channel.
#pragma once

#include "stack.hpp"

namespace kit {

/// Answers Empty without asking anybody, so that what is measured through it is the load loop.
std::unique_ptr<Stack> nothing();

/// Calls the service as a function. Every call works and is counted: the floor below every stack of this language.
std::unique_ptr<Stack> direct();

} // namespace kit
