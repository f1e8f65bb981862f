/// Between the service's values and those of the IDL.
#pragma once

#include "../kit/service/call.hpp"
#include "service.hh"

namespace corba {

/// A wide string, one UTF-16 unit an element. Throws cannot_carry where U+0000 is inside, since a wide string ends there.
CORBA::WChar* wide(std::u16string_view text);

kit::Text text(const CORBA::WChar* wide);

callbench::Person idl(const kit::Person& person);
callbench::Structure idl(const kit::Structure& structure);
callbench::SearchResponse idl(const kit::SearchResponse& response);

kit::Person own(const callbench::Person& person);
kit::Structure own(const callbench::Structure& structure);
kit::SearchResponse own(const callbench::SearchResponse& response);

/// A sequence of the IDL from a vector, each element turned by `turned`.
template <typename Sequence, typename Vector, typename Turned>
Sequence sequence(const Vector& values, Turned turned) {
    Sequence made;
    made.length(static_cast<CORBA::ULong>(values.size()));
    CORBA::ULong at = 0;
    for (const auto& value : values) {
        made[at++] = turned(value);
    }
    return made;
}

/// And back.
template <typename Element, typename Sequence, typename Turned>
std::vector<Element> vector(const Sequence& values, Turned turned) {
    std::vector<Element> made;
    made.reserve(values.length());
    for (CORBA::ULong at = 0; at < values.length(); ++at) {
        made.push_back(turned(values[at]));
    }
    return made;
}

} // namespace corba
