#include "servant.hpp"

#include <algorithm>

#include "convert.hpp"

namespace corba {
namespace {

/// The place in kit::CALLS, so that what is counted has the contract's names.
constexpr std::size_t place(std::string_view call) {
    return static_cast<std::size_t>(std::ranges::find(kit::CALLS, call) - kit::CALLS.begin());
}

/// Runs `what`, the service's "no" turned into the IDL's.
template <typename What>
auto refusing(const What& what) {
    try {
        return what();
    } catch (const kit::Fault& fault) {
        throw callbench::Fault{wide(fault.message)};
    }
}

} // namespace

void Servant::sent() { service_->begin(place("Send")); }

void Servant::Empty() { service_->begin(place("Empty")); }

CORBA::Long Servant::Sum(CORBA::Long a, CORBA::Long b) {
    service_->begin(place("Sum"));
    return static_cast<CORBA::Long>(static_cast<CORBA::ULong>(a) + static_cast<CORBA::ULong>(b));
}

callbench::Persons* Servant::GetPersons(CORBA::Long n) {
    service_->begin(place("GetPersons"));
    return refusing([&] {
        const auto count = kit::Service::within(u"n", n, kit::arguments::MOST);
        callbench::Persons_var persons{new callbench::Persons};
        persons->length(static_cast<CORBA::ULong>(count));
        for (CORBA::ULong at = 0; at < persons->length(); ++at) {
            persons[at] = idl(kit::generate::person(at));
        }
        return persons._retn();
    });
}

callbench::Octets* Servant::GetBinaryData(CORBA::Long size, const CORBA::WChar* fill) {
    service_->begin(place("GetBinaryData"));
    return refusing([&] {
        const auto bytes = service_->binary(size, text(fill));
        callbench::Octets_var octets{new callbench::Octets};
        octets->length(static_cast<CORBA::ULong>(bytes->size()));
        std::ranges::copy(*bytes, octets->get_buffer());
        return octets._retn();
    });
}

callbench::Structure* Servant::EchoStructure(const callbench::Structure& value) {
    service_->begin(place("EchoStructure"));
    return new callbench::Structure{value};
}

CORBA::WChar* Servant::EchoString(const CORBA::WChar* value) {
    service_->begin(place("EchoString"));
    return CORBA::wstring_dup(value);
}

CORBA::WChar* Servant::Hello() {
    service_->begin(place("Hello"));
    return CORBA::wstring_dup(L"Hello World");
}

callbench::SearchResponse* Servant::FindItems(CORBA::Long n) {
    service_->begin(place("FindItems"));
    return refusing([&] {
        return new callbench::SearchResponse{idl(kit::generate::search_response(kit::Service::within(u"n", n, kit::arguments::MOST)))};
    });
}

} // namespace corba
