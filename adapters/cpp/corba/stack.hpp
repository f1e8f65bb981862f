/// CORBA by omniORB: contract/service.idl over GIOP 1.2 and TCP, found through a naming service.
#pragma once

#include "../kit/stack.hpp"

namespace corba {

kit::Stack omniorb();

/// omniORB's version, found at run time.
std::map<std::string, std::string> libraries();

} // namespace corba
