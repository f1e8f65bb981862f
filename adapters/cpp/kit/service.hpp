/// The service behind every stack. It counts calls, adds requested delays, and looks up answers. It generates none.
#pragma once

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <tuple>

#include "clock.hpp"
#include "host.hpp"

namespace kit {

/// The operations of Callbench's own service that are counted; a Send of any type counts as one.
inline constexpr std::array<std::string_view, 9> OPERATIONS = {"Empty",         "Send",       "Sum",   "GetPersons", "GetBinaryData",
                                                               "EchoStructure", "EchoString", "Hello", "FindItems"};

/// The place of an operation, known when it is compiled.
consteval std::size_t place(std::string_view operation) {
    return static_cast<std::size_t>(std::ranges::find(OPERATIONS, operation) - OPERATIONS.begin());
}

class Service {
  public:
    /// With the delays of `serve`, and the names of the operations that are counted.
    Service(Host& host, const Json& delays, std::vector<std::string> operations)
        : host_(host), operations_(std::move(operations)), counts_(operations_.size()), delay_ns_(nanoseconds(delays, "delay_us")),
          burn_ns_(nanoseconds(delays, "burn_us")), stall_ns_(nanoseconds(delays, "stall_us")),
          stall_every_ns_(nanoseconds(delays, "stall_every_us")), since_(clock::now()) {}

    /// Counts a call and delays it. Counted first, so that no client sees an answer that is not counted yet.
    void begin(std::size_t operation) {
        counts_.at(operation).fetch_add(1, std::memory_order_relaxed);
        delay();
    }

    /// Sums wrap at 32 bits.
    static std::int32_t sum(std::int32_t a, std::int32_t b) {
        return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
    }

    /// The answered calls since the last request for counts, by operation, without those that were not called. Faults count.
    Json counted() {
        Json counts = Json::object();
        for (std::size_t at = 0; at < operations_.size(); ++at) {
            if (const auto count = counts_.at(at).exchange(0, std::memory_order_relaxed); count > 0) {
                counts[operations_.at(at)] = count;
            }
        }
        return counts;
    }

    Json ask(const std::string& call, const Json& arguments) { return host_.ask(call, arguments); }

  private:
    /// Of what is given in microseconds; it may have a fraction, since a share of a call that takes a microsecond is a few nanoseconds.
    static std::uint64_t nanoseconds(const Json& delays, const char* name) {
        return static_cast<std::uint64_t>(delays.value(name, 0.0) * 1000);
    }

    void delay() const {
        clock::Machine machine;
        if (delay_ns_ > 0) {
            clock::wait_until(machine, clock::now() + delay_ns_, 0);
        }
        if (stall_every_ns_ > 0) {
            // Every call within the stall waits for its end, as with a server that really stands still.
            const auto now = clock::now();
            const auto left = stall_every_ns_ - (now - since_) % stall_every_ns_;
            clock::wait_until(machine, left <= stall_ns_ ? now + left : now, 0);
        }
        clock::burn(machine, burn_ns_);
    }

    Host& host_;
    std::vector<std::string> operations_;
    std::vector<std::atomic<std::uint64_t>> counts_;
    std::uint64_t delay_ns_;
    std::uint64_t burn_ns_;
    std::uint64_t stall_ns_;
    std::uint64_t stall_every_ns_;
    std::uint64_t since_;
};

/// The last answers of one operation in a library's own types, by arguments. A missing answer is requested once.
template <typename T, typename... Arguments>
class Answers {
  public:
    using Names = std::array<const char*, sizeof...(Arguments)>;

    /// `read` makes an answer of its plain value.
    Answers(Service& service, std::string call, Names names, std::function<T(const Json&)> read)
        : service_(service), call_(std::move(call)), names_(names), read_(std::move(read)) {}

    /// The answer, to be read only. Throws Failure of kind fault where the service refuses.
    std::shared_ptr<T> of(const Arguments&... arguments) {
        const std::tuple<Arguments...> key{arguments...};
        // Locked while the host is asked, so that concurrent calls wait for the same answer.
        const std::scoped_lock alone{lock_};
        auto found = kept_.find(key);
        if (found == kept_.end()) {
            order_.push_back(key);
            if (order_.size() > MOST) {
                kept_.erase(order_.front());
                order_.pop_front();
            }
            found = kept_.emplace(key, asked(key)).first;
        }
        if (!found->second.value) {
            throw Failure{"fault", found->second.fault};
        }
        return found->second.value;
    }

  private:
    static constexpr std::size_t MOST = 256;

    struct Answer {
        std::shared_ptr<T> value;
        std::string fault;
    };

    Answer asked(const std::tuple<Arguments...>& key) const {
        Json arguments = Json::object();
        auto name = names_.begin();
        std::apply([&](const auto&... its) { ((arguments[*name++] = its), ...); }, key);
        const auto said = service_.ask(call_, arguments);
        if (said.contains("fault")) {
            return {nullptr, said.at("fault")};
        }
        return {std::make_shared<T>(read_(said.at("value"))), {}};
    }

    Service& service_;
    std::string call_;
    Names names_;
    std::function<T(const Json&)> read_;
    std::mutex lock_;
    std::map<std::tuple<Arguments...>, Answer> kept_;
    std::deque<std::tuple<Arguments...>> order_;
};

} // namespace kit
