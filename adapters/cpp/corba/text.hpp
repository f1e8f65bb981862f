/// Text of JSON, which is UTF-8, and the wide strings of CORBA in C++, which have one UTF-16 unit an element.
#pragma once

#include <string>

#include "../kit/stack.hpp"

namespace corba {

/// The units of a plain string. Throws cannot_carry where U+0000 is inside, since a wide string ends there.
std::wstring wide(const kit::Json& plain);

/// The plain string of units; `{"utf16": [units]}` if a surrogate is unpaired.
kit::Json plain_text(std::wstring_view units);

/// Valid UTF-8 for messages: an unpaired surrogate becomes a question mark.
std::string utf8(std::wstring_view units);

} // namespace corba
