#include "stacks.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "../kit/base64.hpp"
#include "../kit/check.hpp"
#include "../kit/service.hpp"

namespace inprocess {
namespace {

using kit::Json;

class Named : public kit::Server {
  public:
    explicit Named(std::string name) : name_(std::move(name)) {}
    [[nodiscard]] std::string endpoint() const override { return name_; }

  private:
    std::string name_;
};

class Unasked : public kit::Call {
  public:
    void make(std::size_t /*turn*/) override {}
    bool right(std::size_t /*turn*/) override { return true; }
    Json plain() override { return nullptr; }
};

class Idle : public kit::Clients {
  public:
    explicit Idle(std::size_t clients) : clients_(clients) {}
    [[nodiscard]] std::size_t connections() const override { return 0; }

    kit::Calls prepare(const std::string& operation, const Json& /*payloads*/) override {
        if (operation != "Empty") {
            throw kit::Failure{"cannot-carry", "the stack nothing carries Empty only"};
        }
        kit::Calls calls(clients_);
        std::ranges::generate(calls, [] { return std::make_unique<Unasked>(); });
        return calls;
    }

  private:
    std::size_t clients_;
};

/// Bytes as a program has them. In base64, the last letter would not be the last byte.
Json octets(const Json& value) {
    const auto& text = value.get_ref<const std::string&>();
    std::vector<std::uint8_t> held(kit::room_of_base64(text));
    held.resize(kit::from_base64(text, held.data()));
    return Json::binary(std::move(held));
}

/// The service as functions of plain values.
class Functions {
  public:
    using Function = std::function<std::shared_ptr<const Json>(const Json& arguments)>;

    explicit Functions(std::shared_ptr<kit::Service> service)
        : service_(std::move(service)), persons_(*service_, "GetPersons", {"n"}, as_it_is),
          binary_(*service_, "GetBinaryData", {"size", "fill"}, octets), found_(*service_, "FindItems", {"n"}, as_it_is) {}

    Function of(const std::string& operation) {
        if (operation == "Sum") {
            return counted<kit::place("Sum")>([](const Json& it) { return answer(kit::Service::sum(it.at("a"), it.at("b"))); });
        }
        if (operation == "Hello") {
            return counted<kit::place("Hello")>([](const Json& /*it*/) { return answer("Hello World"); });
        }
        if (operation == "EchoString") {
            return counted<kit::place("EchoString")>([](const Json& it) { return answer(it.at("value")); });
        }
        if (operation == "EchoStructure") {
            return counted<kit::place("EchoStructure")>([](const Json& it) { return answer(it.at("structure")); });
        }
        if (operation == "GetPersons") {
            return counted<kit::place("GetPersons")>([this](const Json& it) { return persons_.of(it.at("n")); });
        }
        if (operation == "GetBinaryData") {
            return counted<kit::place("GetBinaryData")>([this](const Json& it) { return binary_.of(it.at("size"), it.at("fill")); });
        }
        if (operation == "FindItems") {
            return counted<kit::place("FindItems")>([this](const Json& it) { return found_.of(it.at("n")); });
        }
        const auto nothing = [](const Json& /*it*/) { return std::shared_ptr<const Json>{}; };
        return operation == "Empty" ? counted<kit::place("Empty")>(nothing) : counted<kit::place("Send")>(nothing);
    }

  private:
    static Json as_it_is(const Json& value) { return value; }
    static std::shared_ptr<const Json> answer(Json value) { return std::make_shared<const Json>(std::move(value)); }

    template <std::size_t operation, typename What>
    Function counted(What what) {
        return [this, what](const Json& arguments) -> std::shared_ptr<const Json> {
            service_->begin(operation);
            return what(arguments);
        };
    }

    std::shared_ptr<kit::Service> service_;
    kit::Answers<Json, std::int32_t> persons_;
    kit::Answers<Json, std::int32_t, std::string> binary_;
    kit::Answers<Json, std::int32_t> found_;
};

/// The check of an answer over plain values.
bool same(const Json& found, const Json& right, std::size_t turn) {
    if (found.is_binary() && right.is_binary()) {
        const auto& one = found.get_binary();
        const auto& other = right.get_binary();
        return one.size() == other.size() && kit::same_elements(one.size(), turn, [&](std::size_t at) { return one[at] == other[at]; });
    }
    if (found.type() != right.type() || !found.is_structured() || found.size() != right.size()) {
        return found.is_string() && right.is_string()
                   ? kit::same_text<char>(found.get_ref<const std::string&>(), right.get_ref<const std::string&>(), turn)
                   : found == right;
    }
    if (found.is_array()) {
        return kit::same_elements(found.size(), turn, [&](std::size_t at) { return same(found[at], right[at], turn); });
    }
    // Members are in the order of their names on both sides.
    return std::equal(found.items().begin(), found.items().end(), right.items().begin(), [&](const auto& one, const auto& other) {
        return one.key() == other.key() && same(one.value(), other.value(), turn);
    });
}

class Called : public kit::Call {
  public:
    Called(Functions::Function function, std::shared_ptr<const Json> payloads)
        : function_(std::move(function)), payloads_(std::move(payloads)) {}

    void make(std::size_t turn) override { answer_ = function_(payload(turn).at("arguments")); }

    bool right(std::size_t turn) override {
        const auto& payload = this->payload(turn);
        const bool holds = payload.contains("answer") && same(plain_answer(), payload.at("answer"), turn);
        answer_.reset();
        return holds;
    }

    Json plain() override {
        const auto& answer = plain_answer();
        return answer.is_binary() ? Json(kit::to_base64(answer.get_binary())) : answer;
    }

  private:
    [[nodiscard]] const Json& payload(std::size_t turn) const { return (*payloads_)[turn % payloads_->size()]; }

    [[nodiscard]] const Json& plain_answer() const {
        static const Json NOTHING;
        return answer_ ? *answer_ : NOTHING;
    }

    Functions::Function function_;
    std::shared_ptr<const Json> payloads_;
    std::shared_ptr<const Json> answer_;
};

class Callers : public kit::Clients {
  public:
    Callers(std::shared_ptr<Functions> functions, std::size_t clients) : functions_(std::move(functions)), clients_(clients) {}
    [[nodiscard]] std::size_t connections() const override { return 0; }

    kit::Calls prepare(const std::string& operation, const Json& payloads) override {
        Json held = payloads;
        for (auto& payload : held) {
            if (operation == "GetBinaryData" && payload.contains("answer")) {
                payload["answer"] = octets(payload["answer"]);
            }
        }
        const auto kept = std::make_shared<const Json>(std::move(held));
        kit::Calls calls(clients_);
        std::ranges::generate(calls, [&] { return std::make_unique<Called>(functions_->of(operation), kept); });
        return calls;
    }

  private:
    std::shared_ptr<Functions> functions_;
    std::size_t clients_;
};

/// Is found for as long as it is served.
class Served : public Named {
  public:
    explicit Served(std::shared_ptr<Functions> functions) : Named("direct"), functions_(std::move(functions)) {}

  private:
    std::shared_ptr<Functions> functions_;
};

} // namespace

kit::Stack nothing() {
    return {"nothing", "", [](const auto& /*service*/, const auto& /*host*/, int /*port*/) { return std::make_unique<Named>("nothing"); },
            [](const auto& /*endpoint*/, std::size_t clients, auto /*timeout*/) { return std::make_unique<Idle>(clients); }};
}

kit::Stack direct() {
    const auto served = std::make_shared<std::weak_ptr<Functions>>();
    return {"direct", "",
            [served](std::shared_ptr<kit::Service> service, const auto& /*host*/, int /*port*/) {
                const auto functions = std::make_shared<Functions>(std::move(service));
                *served = functions;
                return std::make_unique<Served>(functions);
            },
            [served](const std::string& endpoint, std::size_t clients, auto /*timeout*/) {
                auto functions = served->lock();
                if (!functions || endpoint != "direct") {
                    throw kit::Failure{"refused", "nothing is served in this process: serve the stack direct first, in the same adapter"};
                }
                return std::make_unique<Callers>(std::move(functions), clients);
            }};
}

} // namespace inprocess
