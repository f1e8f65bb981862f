/// The server's side of a call of the user's own: it has the answers of the host in the types of the library.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>

#include "../kit/service.hpp"

namespace own {

/// `Form` says what is done with a message besides sending it: `read`, `plain` and `key`.
template <typename Form, typename Request, typename Answer>
class Answers {
  public:
    /// Of the call with this name and place among the calls of the service.
    Answers(std::shared_ptr<kit::Service> service, std::string call, std::size_t place)
        : service_(std::move(service)), call_(std::move(call)), place_(place) {}

    /// Answers a request: by a look-up of the whole request, the first time by the host. The answer is to be read only. Throws Failure
    /// where the service refuses.
    std::shared_ptr<const Answer> of(const Request& request) {
        service_->begin(place_);
        thread_local std::string key;
        key.clear();
        Form::key(request, key);
        const auto held = find(key);
        // Concurrent calls wait for the same answer.
        std::call_once(held->once, [&] { ask(request, *held); });
        if (!held->answer) {
            throw kit::Failure{"fault", held->fault};
        }
        // Owned by what holds it: one count, and nothing is copied.
        return {held, &*held->answer};
    }

  private:
    /// How many answers of a call are held at least: more than there are pairs of one service, so that none is asked for twice.
    static constexpr std::size_t MOST = 1 << 16;

    struct Held {
        std::once_flag once;
        std::optional<Answer> answer;
        std::string fault;
    };
    using Known = std::unordered_map<std::string, std::shared_ptr<Held>>;

    void ask(const Request& request, Held& held) {
        const auto said = service_->ask(call_, {{"request", Form::plain(request)}});
        if (said.contains("fault")) {
            held.fault = said.at("fault");
            return;
        }
        Form::read(said.at("value"), held.answer.emplace());
    }

    std::shared_ptr<Held> find(const std::string& key) {
        {
            const std::shared_lock together{lock_};
            if (const auto found = young_.find(key); found != young_.end()) {
                return found->second;
            }
        }
        const std::scoped_lock alone{lock_};
        if (const auto found = young_.find(key); found != young_.end()) {
            return found->second;
        }
        if (young_.size() == MOST) {
            old_ = std::exchange(young_, {});
        }
        const auto known = old_.find(key);
        return young_.emplace(key, known == old_.end() ? std::make_shared<Held>() : known->second).first->second;
    }

    std::shared_ptr<kit::Service> service_;
    std::string call_;
    std::size_t place_;
    std::shared_mutex lock_;
    // Recent answers, and older ones, which are dropped when there are as many new ones.
    Known young_;
    Known old_;
};

} // namespace own
