#include "orb.hpp"

#include <omniORB4/minorCode.h>

#include <iostream>

namespace corba {
namespace {

/// The largest message: FindItems and EchoStructure of a million records, and 2^28 bytes, stay below it.
constexpr const char* LARGEST_MESSAGE = "2147483647";

bool exists = false;

} // namespace

Orb::Orb(const std::vector<std::pair<std::string, std::string>>& options) {
    if (exists) {
        throw kit::Failure{"bad-request", "omniORB has one ORB a process, and it is taken: serve and connect in two processes"};
    }
    std::vector<std::string> words{"callbench-cpp", "-ORBgiopMaxMsgSize", LARGEST_MESSAGE};
    for (const auto& [name, value] : options) {
        words.push_back("-ORB" + name);
        words.push_back(value);
    }
    std::vector<char*> argv;
    for (auto& word : words) {
        argv.push_back(word.data());
    }
    int count = static_cast<int>(argv.size());
    orb_ = guarded([&] { return CORBA::ORB_init(count, argv.data(), "omniORB4"); });
    exists = true;
}

Orb::~Orb() {
    exists = false;
    try {
        orb_->destroy();
    } catch (const CORBA::Exception& exception) {
        std::cerr << "callbench: the ORB does not end: " << exception._name() << '\n';
    }
}

kit::Failure failure_of(const CORBA::SystemException& exception) {
    const char* const minor = exception.NP_minorString();
    const auto message = std::string{exception._name()} + (minor != nullptr ? std::string{" "} + minor : std::string{});
    const auto fails_as = [&](const char* kind) { return kit::Failure{kind, message}; };
    if (CORBA::TRANSIENT::_downcast(&exception) != nullptr) {
        switch (exception.minor()) {
        case omni::TRANSIENT_CallTimedout:
            return fails_as("timeout");
        case omni::TRANSIENT_ConnectFailed:
            return fails_as("refused");
        default:
            return fails_as("closed");
        }
    }
    if (CORBA::TIMEOUT::_downcast(&exception) != nullptr) {
        return fails_as("timeout");
    }
    if (CORBA::COMM_FAILURE::_downcast(&exception) != nullptr) {
        return fails_as("closed");
    }
    if (CORBA::OBJECT_NOT_EXIST::_downcast(&exception) != nullptr) {
        return fails_as("refused");
    }
    if (CORBA::MARSHAL::_downcast(&exception) != nullptr) {
        return fails_as(exception.minor() == omni::MARSHAL_MessageSizeExceedLimitOnClient ||
                                exception.minor() == omni::MARSHAL_MessageSizeExceedLimitOnServer
                            ? "too-large"
                            : "protocol");
    }
    if (CORBA::DATA_CONVERSION::_downcast(&exception) != nullptr || CORBA::CODESET_INCOMPATIBLE::_downcast(&exception) != nullptr) {
        return fails_as("cannot-carry");
    }
    if (CORBA::NO_MEMORY::_downcast(&exception) != nullptr || CORBA::NO_RESOURCES::_downcast(&exception) != nullptr ||
        CORBA::IMP_LIMIT::_downcast(&exception) != nullptr || CORBA::INITIALIZE::_downcast(&exception) != nullptr) {
        return fails_as("out-of-resources");
    }
    return fails_as("internal");
}

} // namespace corba
