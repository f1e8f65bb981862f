#include "stack.hpp"

#include <google/protobuf/stubs/common.h>

namespace rpc {
namespace {

using Clock = std::chrono::system_clock;

class Served : public kit::Server {
  public:
    Served(std::unique_ptr<grpc::Service> service, const std::string& host, int port) : service_(std::move(service)) {
        const auto address = (host.find(':') == std::string::npos ? host : '[' + host + ']') + ':';
        grpc::ServerBuilder builder;
        int found = 0;
        builder.AddListeningPort(address + std::to_string(port), grpc::InsecureServerCredentials(), &found);
        // A port that another server has is not shared with it.
        builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
        builder.SetMaxReceiveMessageSize(-1);
        builder.RegisterService(service_.get());
        server_ = builder.BuildAndStart();
        if (!server_) {
            throw kit::Failure{"out-of-resources", "gRPC cannot listen at " + address + std::to_string(port)};
        }
        endpoint_ = address + std::to_string(found);
    }

    ~Served() override {
        server_->Shutdown(Clock::now());
        server_->Wait();
    }

    [[nodiscard]] std::string endpoint() const override { return endpoint_; }

  private:
    std::unique_ptr<grpc::Service> service_;
    std::unique_ptr<grpc::Server> server_;
    std::string endpoint_;
};

/// A channel that has a connection of its own. Stock channels to one address share theirs.
std::shared_ptr<grpc::Channel> channel(const std::string& endpoint) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    arguments.SetMaxReceiveMessageSize(-1);
    // An address is taken as it is: as a name, it would be looked up again at most twice a minute after a lost connection.
    const bool numeric = endpoint.find_first_not_of("0123456789.:") == std::string::npos;
    const auto* const scheme = numeric ? "ipv4:" : endpoint.starts_with('[') ? "ipv6:" : "dns:///";
    return grpc::CreateCustomChannel(scheme + endpoint, grpc::InsecureChannelCredentials(), arguments);
}

/// Waits until a channel is connected.
void connected(grpc::Channel& channel, const std::string& endpoint, Clock::time_point deadline) {
    for (;;) {
        const auto state = channel.GetState(true);
        if (state == GRPC_CHANNEL_READY) {
            return;
        }
        if (state == GRPC_CHANNEL_TRANSIENT_FAILURE || state == GRPC_CHANNEL_SHUTDOWN) {
            throw kit::Failure{"refused", endpoint + " does not take a connection"};
        }
        if (!channel.WaitForStateChange(state, deadline)) {
            throw kit::Failure{"timeout", endpoint + " took no connection in time"};
        }
    }
}

class Callers : public kit::Clients {
  public:
    Callers(const std::string& endpoint, std::size_t clients, std::chrono::milliseconds timeout,
            std::shared_ptr<const std::map<std::string, Method>> methods)
        : timeout_(timeout), methods_(std::move(methods)) {
        if (endpoint.find(':') == std::string::npos) {
            throw kit::Failure{"refused", endpoint.substr(0, 64) + " is no address with a port"};
        }
        for (std::size_t at = 0; at < clients; ++at) {
            channels_.push_back(channel(endpoint));
            // Begins to connect, so that all do so at the same time.
            channels_.back()->GetState(true);
        }
        const auto deadline = Clock::now() + timeout;
        for (const auto& its : channels_) {
            connected(*its, endpoint, deadline);
        }
    }

    [[nodiscard]] std::size_t connections() const override { return channels_.size(); }

    kit::Calls prepare(const std::string& operation, const kit::Json& payloads) override {
        const auto found = methods_->find(operation);
        if (found == methods_->end()) {
            throw kit::Failure{"bad-request", "the service has no operation " + operation.substr(0, 64)};
        }
        return found->second(channels_, timeout_, payloads);
    }

  private:
    std::chrono::milliseconds timeout_;
    std::shared_ptr<const std::map<std::string, Method>> methods_;
    Channels channels_;
};

} // namespace

void require(const grpc::Status& status) {
    if (status.ok()) {
        return;
    }
    const auto kind = [&] {
        switch (status.error_code()) {
        case grpc::StatusCode::INVALID_ARGUMENT:
            return "fault";
        case grpc::StatusCode::DEADLINE_EXCEEDED:
            return "timeout";
        case grpc::StatusCode::UNAVAILABLE:
        case grpc::StatusCode::CANCELLED:
            return "closed";
        default:
            return "protocol";
        }
    }();
    throw kit::Failure{kind, status.error_message()};
}

kit::Stack stack(Generated generated) {
    const auto methods = std::make_shared<const std::map<std::string, Method>>(std::move(generated.methods));
    return {"protobuf+grpc", "",
            [make = std::move(generated.service)](std::shared_ptr<kit::Service> service, const std::string& host, int port) {
                return std::make_unique<Served>(make(std::move(service)), host, port);
            },
            [methods](const std::string& endpoint, std::size_t clients, std::uint64_t timeout_ms) {
                return std::make_unique<Callers>(endpoint, clients, std::chrono::milliseconds{timeout_ms}, methods);
            }};
}

std::map<std::string, std::string> libraries() {
    return {{"gRPC", grpc::Version()}, {"protobuf", google::protobuf::internal::VersionString(GOOGLE_PROTOBUF_VERSION)}};
}

} // namespace rpc
