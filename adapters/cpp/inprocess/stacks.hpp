/// Stacks without a message and without a channel.
#pragma once

#include "../kit/stack.hpp"

namespace inprocess {

/// Answers Empty without asking anybody, so that what is measured through it is the load loop.
kit::Stack nothing();

/// Calls the service as a function with plain values. Its times are the lower limit for every stack of this language.
kit::Stack direct();

} // namespace inprocess
