#include "servant.hpp"

#include "values.hpp"

namespace corba {
namespace {

template <typename T>
T made(const Json& plain) {
    T value;
    read(plain, value);
    return value;
}

/// Looks an answer up. A refusal of the service becomes an exception of the IDL. The answer stays in place until the thread's next call,
/// because the ORB refers to it. A thread serves one call at a time.
template <typename T, typename... Arguments>
T& looked_up(kit::Answers<T, Arguments...>& answers, const Arguments&... arguments) {
    thread_local std::shared_ptr<T> held;
    try {
        held = answers.of(arguments...);
        return *held;
    } catch (const kit::Failure& no) {
        throw callbench::Fault{wide(no.what()).c_str()};
    }
}

/// A sequence of the same elements that does not own them. The C++ mapping requires this form to return cached answers.
template <typename T>
T* lent(T& whole) {
    return new T(whole.maximum(), whole.length(), whole.get_buffer(), false);
}

} // namespace

Servant::Servant(std::shared_ptr<kit::Service> service)
    : service_(std::move(service)), persons_(*service_, "GetPersons", {"n"}, made<callbench::Persons>),
      binary_(*service_, "GetBinaryData", {"size", "fill"}, made<callbench::Octets>),
      found_(*service_, "FindItems", {"n"}, made<callbench::SearchResponse>) {}

void Servant::Empty() { service_->begin(kit::place("Empty")); }

CORBA::Long Servant::Sum(CORBA::Long a, CORBA::Long b) {
    service_->begin(kit::place("Sum"));
    return kit::Service::sum(a, b);
}

callbench::Persons* Servant::GetPersons(CORBA::Long n) {
    service_->begin(kit::place("GetPersons"));
    return lent(looked_up(persons_, n));
}

callbench::Octets* Servant::GetBinaryData(CORBA::Long size, const CORBA::WChar* fill) {
    service_->begin(kit::place("GetBinaryData"));
    return lent(looked_up(binary_, size, utf8(fill)));
}

callbench::Structure* Servant::EchoStructure(const callbench::Structure& value) {
    service_->begin(kit::place("EchoStructure"));
    return new callbench::Structure{value};
}

CORBA::WChar* Servant::EchoString(const CORBA::WChar* value) {
    service_->begin(kit::place("EchoString"));
    return CORBA::wstring_dup(value);
}

CORBA::WChar* Servant::Hello() {
    service_->begin(kit::place("Hello"));
    return CORBA::wstring_dup(L"Hello World");
}

callbench::SearchResponse* Servant::FindItems(CORBA::Long n) {
    service_->begin(kit::place("FindItems"));
    auto& whole = looked_up(found_, n);
    auto& items = whole.searchResult.item;
    auto made = std::make_unique<callbench::SearchResponse>();
    made->ack = whole.ack;
    made->version = whole.version;
    made->timestamp = whole.timestamp;
    made->searchResult.item.replace(items.maximum(), items.length(), items.get_buffer(), false);
    made->paginationOutput = whole.paginationOutput;
    made->itemSearchURL = whole.itemSearchURL;
    return made.release();
}

} // namespace corba
