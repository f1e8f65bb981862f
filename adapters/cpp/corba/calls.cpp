#include "calls.hpp"

#include <array>
#include <cwchar>
#include <memory>
#include <utility>

#include "convert.hpp"
#include "orb.hpp"

namespace corba {
namespace {

using kit::Answer;

/// Room for an answer that is made in place: what omniORB's _var types hold is copied whole where they are moved.
template <typename T>
class Kept {
  public:
    Kept() = default;
    Kept(const Kept&) = delete;
    Kept& operator=(const Kept&) = delete;
    ~Kept() { drop(); }

    template <typename Make>
    void put(const Make& make) {
        drop();
        there_ = ::new (room_.data()) T(make());
    }

    [[nodiscard]] const T& get() const { return *there_; }

    void drop() {
        if (there_ != nullptr) {
            std::destroy_at(std::exchange(there_, nullptr));
        }
    }

  private:
    alignas(T) std::array<std::byte, sizeof(T)> room_{};
    T* there_ = nullptr;
};

/// A call of three parts: how it is made, whether its result is right, and its result in the service's own types.
template <typename Make, typename Right, typename Own>
class Ready final : public kit::Prepared {
  public:
    Ready(Make make, Right right, Own own) : make_(std::move(make)), right_(std::move(right)), own_(std::move(own)) {}

    void make() override {
        refused([&] { answered_.put(make_); });
    }

    bool right() override {
        const auto right = right_(answered_.get());
        answered_.drop();
        return right;
    }

    Answer answer() override {
        return refused([&] { return Answer{own_(make_())}; });
    }

  private:
    template <typename What>
    static auto refused(const What& what) {
        return guarded([&] {
            try {
                return what();
            } catch (const callbench::Fault& fault) {
                throw kit::Failure{kit::Kind::fault, kit::to_utf8(text(fault.message)).value_or("a fault")};
            }
        });
    }

    Make make_;
    Right right_;
    Own own_;
    Kept<std::invoke_result_t<const Make&>> answered_;
};

template <typename Make, typename Right, typename Own>
std::unique_ptr<kit::Prepared> ready(Make make, Right right, Own own) {
    return std::make_unique<Ready<Make, Right, Own>>(std::move(make), std::move(right), std::move(own));
}

/// A call that answers nothing.
template <typename Make>
std::unique_ptr<kit::Prepared> silent(Make make) {
    const auto done = [make = std::move(make)] {
        make();
        return std::monostate{};
    };
    return ready(
        done, [](std::monostate) { return true; }, [](std::monostate it) { return it; });
}

constexpr auto AS_IT_IS = [](const auto& value) { return value; };
constexpr auto WIDE = [](const kit::Text& value) { return wide(value); };

/// A Send of each type, by its operation.
struct Sending {
    callbench::SpeedService_var service;

    using Made = std::unique_ptr<kit::Prepared>;

    /// A value that the IDL has as it is.
    template <typename T>
    Made plain(void (callbench::_objref_SpeedService::*operation)(T), T value) const {
        return silent([s = service, operation, value] { (s.in()->*operation)(value); });
    }

    /// A sequence.
    template <typename Sequence, typename Vector, typename Turned>
    Made list(void (callbench::_objref_SpeedService::*operation)(const Sequence&), const Vector& values, Turned turned) const {
        return silent([s = service, operation, made = sequence<Sequence>(values, turned)] { (s.in()->*operation)(made); });
    }

    using Service = callbench::_objref_SpeedService;

    Made operator()(bool value) const { return plain<CORBA::Boolean>(&Service::SendBoolean, value); }
    Made operator()(std::uint8_t value) const { return plain<CORBA::Octet>(&Service::SendByte, value); }
    Made operator()(char16_t value) const { return plain<CORBA::WChar>(&Service::SendChar, static_cast<CORBA::WChar>(value)); }
    Made operator()(std::int16_t value) const { return plain<CORBA::Short>(&Service::SendShort, value); }
    Made operator()(std::int32_t value) const { return plain<CORBA::Long>(&Service::SendInt, value); }
    Made operator()(std::int64_t value) const { return plain<CORBA::LongLong>(&Service::SendLong, value); }
    Made operator()(float value) const { return plain<CORBA::Float>(&Service::SendFloat, value); }
    Made operator()(double value) const { return plain<CORBA::Double>(&Service::SendDouble, value); }
    Made operator()(const kit::Text& value) const {
        return silent([s = service, made = CORBA::WString_var{wide(value)}] { s.in()->SendString(made.in()); });
    }
    Made operator()(const kit::Person& value) const {
        return silent([s = service, made = idl(value)] { s.in()->SendObject(made); });
    }
    Made operator()(const std::vector<bool>& values) const { return list(&Service::SendBooleanArray, values, AS_IT_IS); }
    Made operator()(const kit::Octets& values) const { return list(&Service::SendByteArray, values, AS_IT_IS); }
    Made operator()(const std::vector<char16_t>& values) const {
        return list(&Service::SendCharArray, values, [](char16_t unit) { return static_cast<CORBA::WChar>(unit); });
    }
    Made operator()(const std::vector<std::int16_t>& values) const { return list(&Service::SendShortArray, values, AS_IT_IS); }
    Made operator()(const std::vector<std::int32_t>& values) const { return list(&Service::SendIntArray, values, AS_IT_IS); }
    Made operator()(const std::vector<std::int64_t>& values) const { return list(&Service::SendLongArray, values, AS_IT_IS); }
    Made operator()(const std::vector<float>& values) const { return list(&Service::SendFloatArray, values, AS_IT_IS); }
    Made operator()(const std::vector<double>& values) const { return list(&Service::SendDoubleArray, values, AS_IT_IS); }
    Made operator()(const std::vector<kit::Text>& values) const { return list(&Service::SendStringArray, values, WIDE); }
    Made operator()(const std::vector<kit::Person>& values) const {
        return list(&Service::SendObjectArray, values, [](const kit::Person& it) { return idl(it); });
    }
};

/// Every call, by its kind.
struct Preparing {
    callbench::SpeedService_var service;
    kit::Expectation expected;

    using Made = std::unique_ptr<kit::Prepared>;

    Made operator()(const kit::Empty&) const {
        return silent([s = service] { s.in()->Empty(); });
    }

    Made operator()(const kit::Send& call) const { return std::visit(Sending{service}, call.value); }

    Made operator()(const kit::Sum& call) const {
        return ready([s = service, call] { return s.in()->Sum(call.a, call.b); },
                     [right = expected.number](CORBA::Long sum) { return sum == right; },
                     [](CORBA::Long sum) { return std::int32_t{sum}; });
    }

    Made operator()(const kit::GetPersons& call) const {
        const auto right = [count = expected.count, last = idl(expected.last_person)](const callbench::Persons_var& all) {
            if (all->length() != count || count == 0) {
                return all->length() == count;
            }
            const auto& it = all.in()[all->length() - 1];
            return it.ID == last.ID && std::wcscmp(it.FirstName, last.FirstName) == 0 && std::wcscmp(it.LastName, last.LastName) == 0;
        };
        return ready([s = service, call] { return callbench::Persons_var{s.in()->GetPersons(call.n)}; }, right,
                     [](const callbench::Persons_var& all) {
                         return vector<kit::Person>(all.in(), [](const callbench::Person& it) { return own(it); });
                     });
    }

    Made operator()(const kit::GetBinaryData& call) const {
        const auto right = [it = expected](const callbench::Octets_var& bytes) {
            const auto length = bytes->length();
            return length == it.count && (length == 0 || (bytes.in()[0U] == it.first_byte && bytes.in()[length - 1] == it.last_byte));
        };
        return ready([s = service, size = call.size,
                      fill = CORBA::WString_var{wide(call.fill)}] { return callbench::Octets_var{s.in()->GetBinaryData(size, fill.in())}; },
                     right,
                     [](const callbench::Octets_var& bytes) {
                         const auto* const first = bytes->get_buffer();
                         return kit::Octets(first, first + bytes->length());
                     });
    }

    Made operator()(const kit::EchoStructure& call) const {
        const auto right = [it = expected](const callbench::Structure_var& value) {
            const auto beans = value->beans.length();
            return value->numbers.length() == it.numbers && value->users.length() == it.users && beans == it.beans &&
                   (beans == 0 || value->beans[beans - 1].id == it.last_bean);
        };
        return ready([s = service, value = idl(call.value)] { return callbench::Structure_var{s.in()->EchoStructure(value)}; }, right,
                     [](const callbench::Structure_var& value) { return own(value.in()); });
    }

    Made operator()(const kit::EchoString& call) const {
        // wcslen looks at every character: a wide string of CORBA does not know its length. It is what any user of it pays.
        const auto right = [it = expected](const CORBA::WString_var& value) {
            const auto length = std::wcslen(value.in());
            return length == it.count && (length == 0 || value.in()[length - 1] == static_cast<CORBA::WChar>(it.last_unit));
        };
        return ready(
            [s = service, value = CORBA::WString_var{wide(call.value)}] { return CORBA::WString_var{s.in()->EchoString(value.in())}; },
            right, [](const CORBA::WString_var& value) { return text(value.in()); });
    }

    Made operator()(const kit::Hello&) const {
        return ready([s = service] { return CORBA::WString_var{s.in()->Hello()}; },
                     [](const CORBA::WString_var& value) { return std::wcscmp(value.in(), L"Hello World") == 0; },
                     [](const CORBA::WString_var& value) { return text(value.in()); });
    }

    Made operator()(const kit::FindItems& call) const {
        const auto right = [count = expected.count,
                            last = CORBA::WString_var{wide(expected.last_item)}](const callbench::SearchResponse_var& found) {
            const auto& items = found->searchResult.item;
            return items.length() == count && (count == 0 || std::wcscmp(items[items.length() - 1].itemId, last.in()) == 0);
        };
        return ready([s = service, call] { return callbench::SearchResponse_var{s.in()->FindItems(call.n)}; }, right,
                     [](const callbench::SearchResponse_var& found) { return own(found.in()); });
    }
};

} // namespace

std::unique_ptr<kit::Prepared> prepared(const callbench::SpeedService_var& service, const kit::Call& call) {
    return std::visit(Preparing{service, kit::Expectation{call}}, call);
}

} // namespace corba
