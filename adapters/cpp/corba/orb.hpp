/// An ORB for as long as something is served or connected, and its exceptions as the contract's failures.
#pragma once

#include <omniORB4/CORBA.h>

#include <string>
#include <utility>
#include <vector>

#include "../kit/stack.hpp"

namespace corba {

/// omniORB has one ORB a process. It ends with this, and every connection with it.
class Orb {
  public:
    /// Options are pairs of omniORB's names, without -ORB, and values. Throws Failure, also if there is already an ORB.
    explicit Orb(const std::vector<std::pair<std::string, std::string>>& options);
    Orb(const Orb&) = delete;
    Orb& operator=(const Orb&) = delete;
    ~Orb();

    CORBA::ORB_ptr operator->() const { return orb_.in(); }

  private:
    CORBA::ORB_var orb_;
};

/// What a system exception means in the contract.
kit::Failure failure_of(const CORBA::SystemException& exception);

/// Runs `what`, its CORBA exceptions turned into failures.
template <typename What>
auto guarded(const What& what) {
    try {
        return what();
    } catch (const CORBA::SystemException& exception) {
        throw failure_of(exception);
    } catch (const CORBA::UserException& exception) {
        throw kit::Failure{"protocol", std::string{"an exception came that was not declared: "} + exception._name()};
    }
}

} // namespace corba
