/// The adapter's side of contract/CONTRACT.md: requests on stdin, answers on stdout.
#pragma once

#include <functional>

#include "../stack.hpp"

namespace kit {

/// Speaks for the adapter that `make` makes until `stop`, the end of stdin or SIGTERM, and gives the exit code. The one entry of every
/// adapter's main: `make` is called when what libraries print goes to stderr already.
int run(const std::function<Adapter()>& make);

} // namespace kit
