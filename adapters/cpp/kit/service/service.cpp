#include "service.hpp"

#include <mutex>

namespace kit {
namespace {

constexpr std::int32_t LARGEST = 268'435'456;

/// Each call as it is answered.
struct Answering {
    Service* service;

    Answer operator()(const Empty&) const { return {}; }
    Answer operator()(const Send&) const { return {}; }
    Answer operator()(const Sum& it) const {
        return static_cast<std::int32_t>(static_cast<std::uint32_t>(it.a) + static_cast<std::uint32_t>(it.b));
    }
    Answer operator()(const GetPersons& it) const { return generate::persons(Service::within(u"n", it.n, arguments::MOST)); }
    Answer operator()(const GetBinaryData& it) const { return *service->binary(it.size, it.fill); }
    Answer operator()(const EchoStructure& it) const { return it.value; }
    Answer operator()(const EchoString& it) const { return it.value; }
    Answer operator()(const Hello&) const { return Text{u"Hello World"}; }
    Answer operator()(const FindItems& it) const { return generate::search_response(Service::within(u"n", it.n, arguments::MOST)); }
};

} // namespace

Answer Service::answer(const Call& call) {
    begin(call.index());
    return std::visit(Answering{this}, call);
}

std::size_t Service::within(std::u16string_view parameter, std::int32_t value, std::int32_t most) {
    if (value < 0 || value > most) {
        throw Fault{Text{parameter} + u" is " + from_ascii(std::to_string(value) + ": it must be from 0 to " + std::to_string(most))};
    }
    return static_cast<std::size_t>(value);
}

std::shared_ptr<const Octets> Service::binary(std::int32_t size, std::u16string_view fill) {
    const auto wanted = within(u"size", size, LARGEST);
    const auto known = generate::fill_named(fill);
    if (!known) {
        throw Fault{u"fill is " + Text{fill.substr(0, 64)} + u": it must be article, random, zero or text"};
    }
    {
        const std::shared_lock reading{lock_};
        if (kept_.bytes && kept_.size == wanted && kept_.fill == *known) {
            return kept_.bytes;
        }
    }
    auto made = std::make_shared<const Octets>(generate::binary(wanted, *known));
    const std::unique_lock writing{lock_};
    kept_ = {wanted, *known, made};
    return made;
}

std::map<std::string, std::uint64_t> Service::counted() {
    std::map<std::string, std::uint64_t> counts;
    for (std::size_t place = 0; place < CALLS.size(); ++place) {
        if (const auto count = counts_.at(place).exchange(0, std::memory_order_relaxed); count > 0) {
            counts.emplace(CALLS.at(place), count);
        }
    }
    return counts;
}

} // namespace kit
