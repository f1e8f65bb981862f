#include "calls.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "orb.hpp"
#include "values.hpp"

namespace corba {
namespace {

using Service = callbench::_objref_SpeedService;

/// What frees an answer that the caller owns.
struct Free {
    void operator()(CORBA::WChar* text) const { CORBA::wstring_free(text); }

    template <typename T>
    void operator()(T* value) const {
        delete value;
    }
};

/// How a caller keeps the result of an operation, how the correct one is kept, and what is compared. The caller owns a pointer.
template <typename Result>
struct Owned {
    using Answer = std::conditional_t<std::is_void_v<Result>, Nothing, Result>;
    using Right = Answer;
    static Answer look(Answer answer) { return answer; }
};

template <typename T>
struct Owned<T*> {
    using Answer = std::unique_ptr<T, Free>;
    using Right = T;
    static const T& look(const Answer& answer) { return *answer; }
};

template <>
struct Owned<CORBA::WChar*> {
    using Answer = std::unique_ptr<CORBA::WChar, Free>;
    using Right = std::wstring;
    static const CORBA::WChar* look(const Answer& answer) { return answer.get(); }
};

/// How an argument is held until it is handed over: a wide string in a string, all else as it is.
template <typename Parameter>
using Kept = std::conditional_t<std::is_pointer_v<Parameter>, std::wstring, std::remove_cvref_t<Parameter>>;

const CORBA::WChar* handed(const std::wstring& text) { return text.c_str(); }

template <typename T>
const T& handed(const T& value) {
    return value;
}

/// An operation of the service with its parameters' names.
template <typename Result, typename... Parameters>
struct Operation {
    /// A payload in the IDL's types; no answer is right where the service refuses.
    struct Payload {
        std::tuple<Kept<Parameters>...> arguments;
        std::optional<typename Owned<Result>::Right> answer;
    };

    [[nodiscard]] Payload payload(const Json& plain) const {
        Payload made;
        auto name = names.begin();
        std::apply([&](auto&... its) { (read(plain.at("arguments").at(*name++), its), ...); }, made.arguments);
        if (!plain.contains("fault")) {
            read(plain.at("answer"), made.answer.emplace());
        }
        return made;
    }

    Result (Service::*call)(Parameters...);
    std::array<const char*, sizeof...(Parameters)> names;
};

template <typename Result, typename... Parameters>
class Ready final : public kit::Call {
  public:
    using Its = Operation<Result, Parameters...>;
    using Payloads = std::vector<typename Its::Payload>;

    Ready(const callbench::SpeedService_var& service, const Its& operation, std::shared_ptr<const Payloads> payloads)
        : service_(service), operation_(operation), payloads_(std::move(payloads)) {}

    void make(std::size_t turn) override {
        const auto call = [this](const auto&... its) { return (service_.in()->*operation_.call)(handed(its)...); };
        guarded([&] {
            try {
                if constexpr (std::is_void_v<Result>) {
                    std::apply(call, payload(turn).arguments);
                } else {
                    answer_ = Answer{std::apply(call, payload(turn).arguments)};
                }
            } catch (const callbench::Fault& fault) {
                throw kit::Failure{"fault", utf8(fault.message.in())};
            }
        });
    }

    bool right(std::size_t turn) override {
        const auto& right = payload(turn).answer;
        const bool holds = right && same(Owned<Result>::look(answer_), handed(*right), turn);
        answer_ = {};
        return holds;
    }

    Json plain() override { return shown(Owned<Result>::look(answer_)); }

  private:
    using Answer = typename Owned<Result>::Answer;

    [[nodiscard]] const typename Its::Payload& payload(std::size_t turn) const { return (*payloads_)[turn % payloads_->size()]; }

    callbench::SpeedService_var service_;
    Its operation_;
    /// Of all clients.
    std::shared_ptr<const Payloads> payloads_;
    Answer answer_{};
};

/// What makes the calls of an operation ready.
using Making = std::function<kit::Calls(const callbench::SpeedService_var&, const Json& payloads, std::size_t clients)>;

template <typename Result, typename... Parameters, typename... Names>
Making making(Result (Service::*call)(Parameters...), Names... names) {
    const Operation<Result, Parameters...> operation{call, {names...}};
    return [operation](const callbench::SpeedService_var& service, const Json& plain, std::size_t clients) {
        using Mine = Ready<Result, Parameters...>;
        auto payloads = std::make_shared<typename Mine::Payloads>();
        std::ranges::transform(plain, std::back_inserter(*payloads), [&](const Json& one) { return operation.payload(one); });
        kit::Calls calls(clients);
        std::ranges::generate(calls, [&] { return std::make_unique<Mine>(service, operation, payloads); });
        return calls;
    };
}

const std::map<std::string, Making, std::less<>> OPERATIONS = {
    {"Empty", making(&Service::Empty)},
    {"Sum", making(&Service::Sum, "a", "b")},
    {"GetPersons", making(&Service::GetPersons, "n")},
    {"GetBinaryData", making(&Service::GetBinaryData, "size", "fill")},
    {"EchoStructure", making(&Service::EchoStructure, "structure")},
    {"EchoString", making(&Service::EchoString, "value")},
    {"Hello", making(&Service::Hello)},
    {"FindItems", making(&Service::FindItems, "n")},
    {"SendBoolean", making(&Service::SendBoolean, "value")},
    {"SendByte", making(&Service::SendByte, "value")},
    {"SendChar", making(&Service::SendChar, "value")},
    {"SendShort", making(&Service::SendShort, "value")},
    {"SendInt", making(&Service::SendInt, "value")},
    {"SendLong", making(&Service::SendLong, "value")},
    {"SendFloat", making(&Service::SendFloat, "value")},
    {"SendDouble", making(&Service::SendDouble, "value")},
    {"SendString", making(&Service::SendString, "value")},
    {"SendObject", making(&Service::SendObject, "value")},
    {"SendBooleanArray", making(&Service::SendBooleanArray, "value")},
    {"SendByteArray", making(&Service::SendByteArray, "value")},
    {"SendCharArray", making(&Service::SendCharArray, "value")},
    {"SendShortArray", making(&Service::SendShortArray, "value")},
    {"SendIntArray", making(&Service::SendIntArray, "value")},
    {"SendLongArray", making(&Service::SendLongArray, "value")},
    {"SendFloatArray", making(&Service::SendFloatArray, "value")},
    {"SendDoubleArray", making(&Service::SendDoubleArray, "value")},
    {"SendStringArray", making(&Service::SendStringArray, "value")},
    {"SendObjectArray", making(&Service::SendObjectArray, "value")},
};

} // namespace

kit::Calls prepared(const callbench::SpeedService_var& service, const std::string& operation, const Json& payloads, std::size_t clients) {
    return OPERATIONS.at(operation)(service, payloads, clients);
}

} // namespace corba
