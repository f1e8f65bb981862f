/// A program that is a runner: contract/RUNNER.md.
#pragma once

#include "stack.hpp"

namespace kit {

/// Speaks the runner protocol until it is told to stop, and ends the process. `make` is called once the standard output is the kit's own.
[[noreturn]] void run(const std::function<Adapter()>& make);

} // namespace kit
