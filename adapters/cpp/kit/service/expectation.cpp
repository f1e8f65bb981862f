#include "expectation.hpp"

#include "service.hpp"

namespace kit {
namespace {

struct Preparing {
    Expectation* it;

    void operator()(const Empty&) const {}
    void operator()(const Send&) const {}
    void operator()(const Hello&) const {}
    void operator()(const Sum& call) const {
        it->number = static_cast<std::int32_t>(static_cast<std::uint32_t>(call.a) + static_cast<std::uint32_t>(call.b));
    }
    void operator()(const GetPersons& call) const {
        it->count = Service::within(u"n", call.n, arguments::MOST);
        if (it->count > 0) {
            it->last_person = generate::person(it->count - 1);
        }
    }
    void operator()(const GetBinaryData& call) const {
        const auto bytes = Service{Json::object()}.binary(call.size, call.fill);
        it->count = bytes->size();
        if (!bytes->empty()) {
            it->first_byte = bytes->front();
            it->last_byte = bytes->back();
        }
    }
    void operator()(const EchoStructure& call) const {
        it->numbers = call.value.numbers.size();
        it->users = call.value.users.size();
        it->beans = call.value.beans.size();
        it->last_bean = call.value.beans.empty() ? 0 : call.value.beans.back().id;
    }
    void operator()(const EchoString& call) const {
        it->count = call.value.size();
        it->last_unit = call.value.empty() ? u'\0' : call.value.back();
    }
    void operator()(const FindItems& call) const {
        it->count = Service::within(u"n", call.n, arguments::MOST);
        if (it->count > 0) {
            it->last_item = generate::search_response(it->count).items.back().item_id;
        }
    }
};

/// An answer of the right kind against what is expected.
struct Holding {
    const Expectation* it;

    bool operator()(const Empty&, const std::monostate&) const { return true; }
    bool operator()(const Send&, const std::monostate&) const { return true; }
    bool operator()(const Sum&, const std::int32_t& number) const { return number == it->number; }
    bool operator()(const Hello&, const Text& text) const { return text == u"Hello World"; }
    bool operator()(const GetPersons&, const std::vector<Person>& all) const {
        return all.size() == it->count && (all.empty() || all.back() == it->last_person);
    }
    bool operator()(const GetBinaryData&, const Octets& bytes) const {
        return bytes.size() == it->count && (bytes.empty() || (bytes.front() == it->first_byte && bytes.back() == it->last_byte));
    }
    bool operator()(const EchoStructure&, const Structure& value) const {
        return value.numbers.size() == it->numbers && value.users.size() == it->users && value.beans.size() == it->beans &&
               (value.beans.empty() || value.beans.back().id == it->last_bean);
    }
    bool operator()(const EchoString&, const Text& text) const {
        return text.size() == it->count && (text.empty() || text.back() == it->last_unit);
    }
    bool operator()(const FindItems&, const SearchResponse& found) const {
        return found.items.size() == it->count && (found.items.empty() || found.items.back().item_id == it->last_item);
    }
    template <typename C, typename A>
    bool operator()(const C&, const A&) const {
        return false;
    }
};

} // namespace

Expectation::Expectation(const Call& call) {
    try {
        std::visit(Preparing{this}, call);
    } catch (const Fault&) {
        refusal = true;
    }
}

bool Expectation::holds(const Call& call, const Answer& answer) const { return !refusal && std::visit(Holding{this}, call, answer); }

} // namespace kit
