/// The client's side of a call of the user's own: requests in rotation, and the check of their answers.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "../kit/stack.hpp"
#include "same.hpp"

namespace own {

/// A request with its right answer. There is none if the service refuses the call.
template <typename Request, typename Answer>
struct Pair {
    Request request;
    std::optional<Answer> answer;
};

template <typename Form, typename Request, typename Answer>
class Caller : public kit::Call {
  public:
    using Pairs = std::vector<Pair<Request, Answer>>;
    /// How a client of a library makes the call: it fills an empty answer, or throws Failure.
    using Invoke = std::function<void(const Request&, Answer&)>;

    Caller(Invoke invoke, std::shared_ptr<const Pairs> pairs) : invoke_(std::move(invoke)), pairs_(std::move(pairs)) {}

    void make(std::size_t turn) override { invoke_(pair(turn).request, answer_.emplace()); }

    bool right(std::size_t turn) override {
        turn_.number = turn;
        const auto& expected = pair(turn).answer;
        const bool holds = expected && same(*expected, *answer_, turn_);
        answer_.reset();
        return holds;
    }

    kit::Json plain() override { return Form::plain(*answer_); }

  private:
    [[nodiscard]] const Pair<Request, Answer>& pair(std::size_t turn) const { return (*pairs_)[turn % pairs_->size()]; }

    Invoke invoke_;
    std::shared_ptr<const Pairs> pairs_;
    std::optional<Answer> answer_;
    Turn turn_;
};

/// Messages of plain payloads. Throws Failure, of kind cannot-carry.
template <typename Form, typename Request, typename Answer>
std::shared_ptr<const std::vector<Pair<Request, Answer>>> pairs_of(const kit::Json& payloads) {
    auto pairs = std::make_shared<std::vector<Pair<Request, Answer>>>(payloads.size());
    auto pair = pairs->begin();
    for (const auto& payload : payloads) {
        Form::read(payload.at("arguments").at("request"), pair->request);
        if (payload.contains("answer")) {
            Form::read(payload.at("answer"), pair->answer.emplace());
        }
        ++pair;
    }
    return pairs;
}

} // namespace own
