#include "stack.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <boost/version.hpp>
#include <limits>
#include <list>
#include <regex>
#include <thread>

#include "client.hpp"
#include "stream.hpp"

namespace http {
namespace {

namespace beast = boost::beast::http;
using kit::Json;

// The error codes of JSON-RPC 2.0. REFUSED is an error that the service reports.
constexpr int UNREADABLE = -32700;
constexpr int NO_REQUEST = -32600;
constexpr int NO_METHOD = -32601;
constexpr int REFUSED = -32000;

using Answers = std::map<std::string, Answer>;

Json refusal(int code, const std::string& why, Json id) {
    return {{"jsonrpc", "2.0"}, {"error", {{"code", code}, {"message", why}}}, {"id", std::move(id)}};
}

Json replied(const Answers& answers, const std::string& body) {
    const auto asked = Json::parse(body, nullptr, false);
    if (asked.is_discarded()) {
        return refusal(UNREADABLE, "the body is no JSON", nullptr);
    }
    const auto id = asked.is_object() ? asked.value("id", Json{}) : Json{};
    if (!asked.is_object() || asked.value("jsonrpc", Json{}) != "2.0" || !asked.value("method", Json{}).is_string()) {
        return refusal(NO_REQUEST, "the body is no request of JSON-RPC 2.0", id);
    }
    const auto& method = asked.at("method").get_ref<const std::string&>();
    const auto found = answers.find(method);
    if (found == answers.end()) {
        return refusal(NO_METHOD, "the service has no operation " + method.substr(0, 64), id);
    }
    try {
        return {{"jsonrpc", "2.0"}, {"result", found->second(asked.at("params").at("request"))}, {"id", id}};
    } catch (const std::exception& failure) {
        return refusal(REFUSED, failure.what(), id);
    }
}

/// A thread for each connection, as long as it is open.
class Served : public kit::Server {
  public:
    Served(Answers answers, const std::string& host, int port) : answers_(std::move(answers)) {
        try {
            const Tcp::endpoint at{boost::asio::ip::make_address(host), static_cast<std::uint16_t>(port)};
            acceptor_.open(at.protocol());
            acceptor_.set_option(Tcp::acceptor::reuse_address{true});
            acceptor_.bind(at);
            acceptor_.listen();
        } catch (const boost::system::system_error& failure) {
            throw kit::Failure{"out-of-resources",
                               "Boost.Beast cannot listen at " + host + ':' + std::to_string(port) + ": " + failure.what()};
        }
        const auto shown = host.find(':') == std::string::npos ? host : '[' + host + ']';
        endpoint_ = "http://" + shown + ':' + std::to_string(acceptor_.local_endpoint().port()) + "/json";
        accepting_ = std::thread{[this] { accept(); }};
    }

    ~Served() override {
        ::shutdown(acceptor_.native_handle(), SHUT_RDWR);
        accepting_.join();
        {
            const std::scoped_lock alone{lock_};
            for (auto& one : open_) {
                one.stream.end();
            }
        }
        for (auto& one : open_) {
            one.thread.join();
        }
    }

    [[nodiscard]] std::string endpoint() const override { return endpoint_; }

  private:
    struct Open {
        explicit Open(Tcp::socket socket) : stream(std::move(socket)) {}
        Stream stream;
        std::thread thread;
        std::atomic<bool> done{false};
    };

    void accept() {
        for (;;) {
            boost::system::error_code failure;
            auto socket = acceptor_.accept(failure);
            if (failure == boost::asio::error::invalid_argument || failure == boost::asio::error::bad_descriptor) {
                return;
            }
            if (failure) {
                // The client has gone, or there are too many: others are waited for.
                std::this_thread::sleep_for(std::chrono::milliseconds{1});
                continue;
            }
            const std::scoped_lock alone{lock_};
            std::erase_if(open_, [](Open& one) {
                const bool done = one.done.load();
                if (done) {
                    one.thread.join();
                }
                return done;
            });
            auto& one = open_.emplace_back(std::move(socket));
            one.thread = std::thread{[this, &one] {
                try {
                    answer(one.stream);
                } catch (const std::exception&) {
                    // The client has gone.
                }
                one.stream.end();
                one.done.store(true);
            }};
        }
    }

    void answer(Stream& stream) {
        boost::beast::flat_buffer buffer;
        for (bool open = true; open;) {
            beast::request_parser<beast::string_body> parser;
            parser.body_limit(std::numeric_limits<std::uint64_t>::max());
            boost::system::error_code failure;
            beast::read(stream, buffer, parser, failure);
            if (failure) {
                return;
            }
            const auto request = parser.release();
            beast::response<beast::string_body> response{beast::status::ok, request.version()};
            if (request.method() != beast::verb::post || request.target() != "/json") {
                response.result(beast::status::not_found);
            } else {
                response.set(beast::field::content_type, "application/json");
                response.body() = replied(answers_, request.body()).dump(-1, ' ', false, Json::error_handler_t::replace);
            }
            open = request.keep_alive();
            response.keep_alive(open);
            response.prepare_payload();
            beast::write(stream, response);
        }
    }

    Answers answers_;
    boost::asio::io_context context_{1};
    Tcp::acceptor acceptor_{context_};
    std::string endpoint_;
    std::thread accepting_;
    std::mutex lock_;
    std::list<Open> open_;
};

Place place_of(const std::string& endpoint) {
    static const std::regex URL{R"(http://(?:\[([^\]]+)\]|([^:/]+)):(\d+)(/.*)?)"};
    std::smatch found;
    if (!std::regex_match(endpoint, found, URL)) {
        throw kit::Failure{"refused", endpoint.substr(0, 64) + " is no http URL with an address and port"};
    }
    return {found[1].matched ? found[1] : found[2], found[3], found[4].matched ? found[4].str() : "/"};
}

class Callers : public kit::Clients {
  public:
    Callers(const Place& place, std::size_t clients, std::chrono::milliseconds timeout, std::shared_ptr<const Methods> methods)
        : methods_(std::move(methods)) {
        for (std::size_t at = 0; at < clients; ++at) {
            connections_.push_back(connected(place, timeout));
        }
    }

    [[nodiscard]] std::size_t connections() const override { return connections_.size(); }

    kit::Calls prepare(const std::string& operation, const Json& payloads) override {
        const auto found = methods_->find(operation);
        if (found == methods_->end()) {
            throw kit::Failure{"bad-request", "the service has no operation " + operation.substr(0, 64)};
        }
        return found->second.prepare(connections_, payloads);
    }

  private:
    std::shared_ptr<const Methods> methods_;
    Connections connections_;
};

} // namespace

kit::Stack stack(Methods methods) {
    const auto kept = std::make_shared<const Methods>(std::move(methods));
    return {"json+http", "",
            [kept](const std::shared_ptr<kit::Service>& service, const std::string& host, int port) {
                Answers answers;
                for (const auto& [name, method] : *kept) {
                    answers.emplace(name, method.serve(service));
                }
                return std::make_unique<Served>(std::move(answers), host, port);
            },
            [kept](const std::string& endpoint, std::size_t clients, std::uint64_t timeout_ms) {
                return std::make_unique<Callers>(place_of(endpoint), clients, std::chrono::milliseconds{timeout_ms}, kept);
            }};
}

std::map<std::string, std::string> libraries() {
    std::string version = BOOST_LIB_VERSION;
    std::ranges::replace(version, '_', '.');
    return {{"Boost", version}, {"nlohmann-json", Json::meta().at("version").at("string")}};
}

} // namespace http
