#include "client.hpp"

#include <boost/asio/connect.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <limits>

namespace http {
namespace {

namespace beast = boost::beast::http;
using kit::Json;

kit::Failure failed(const boost::system::error_code& why) {
    if (why == boost::asio::error::timed_out) {
        return {"timeout", "no answer came in time"};
    }
    // Beast's own errors are of what came: all but the end of the connection.
    const bool gone = why == beast::error::end_of_stream || why == beast::error::partial_message ||
                      why.category() != beast::make_error_code(beast::error::bad_method).category();
    return {gone ? "closed" : "protocol", why.message()};
}

class Client : public Connection {
  public:
    Client(Place place, std::chrono::milliseconds timeout) : place_(std::move(place)), timeout_(timeout) { connect(); }

    Json call(const std::string& method, Json request) override {
        if (!stream_) {
            connect();
        }
        const Json body{{"jsonrpc", "2.0"}, {"method", method}, {"params", {{"request", std::move(request)}}}, {"id", 1}};
        try {
            auto said = Json::parse(posted(body.dump()));
            if (const auto fault = said.find("error"); fault != said.end()) {
                throw kit::Failure{"fault", fault->at("message")};
            }
            return std::move(said.at("result"));
        } catch (const Json::exception& wrong) {
            throw kit::Failure{"protocol", wrong.what()};
        }
    }

  private:
    std::string posted(std::string body) {
        beast::request<beast::string_body> request{beast::verb::post, place_.path, 11, std::move(body)};
        request.set(beast::field::host, place_.host + ':' + place_.port);
        request.set(beast::field::content_type, "application/json");
        request.prepare_payload();
        boost::system::error_code failure;
        beast::write(*stream_, request, failure);
        beast::response_parser<beast::string_body> parser;
        parser.body_limit(std::numeric_limits<std::uint64_t>::max());
        if (!failure) {
            beast::read(*stream_, buffer_, parser, failure);
        }
        if (failure) {
            drop();
            throw failed(failure);
        }
        auto response = parser.release();
        if (!response.keep_alive()) {
            drop();
        }
        if (response.result() != beast::status::ok) {
            throw kit::Failure{"protocol", "the server answers " + std::to_string(response.result_int())};
        }
        return std::move(response.body());
    }

    void connect() {
        boost::system::error_code failure;
        Tcp::resolver resolver{context_};
        Tcp::socket socket{context_};
        const auto found = resolver.resolve(place_.host, place_.port, failure);
        if (!failure) {
            boost::asio::connect(socket, found, failure);
        }
        if (failure) {
            throw kit::Failure{"refused", place_.host + ':' + place_.port + " does not take a connection: " + failure.message()};
        }
        stream_.emplace(std::move(socket));
        stream_->limit(timeout_);
    }

    void drop() {
        stream_.reset();
        buffer_.clear();
    }

    Place place_;
    std::chrono::milliseconds timeout_;
    boost::asio::io_context context_{1};
    std::optional<Stream> stream_;
    boost::beast::flat_buffer buffer_;
};

} // namespace

std::shared_ptr<Connection> connected(const Place& place, std::chrono::milliseconds timeout) {
    return std::make_shared<Client>(place, timeout);
}

} // namespace http
