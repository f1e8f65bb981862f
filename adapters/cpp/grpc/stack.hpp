/// The stack of gRPC for C++. It carries the calls of a service of the user's own, by the stubs that protoc makes with gRPC's plugin.
#pragma once

#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/service_type.h>

#include "../kit/service.hpp"
#include "../own/answers.hpp"
#include "../own/caller.hpp"
#include "form.hpp"

namespace rpc {

using Channels = std::vector<std::shared_ptr<grpc::Channel>>;

/// Prepares one call for a client on each channel.
using Method = std::function<kit::Calls(const Channels& channels, std::chrono::milliseconds timeout, const kit::Json& payloads)>;

/// Throws a status that is an error as a Failure, with the kinds of the contract.
void require(const grpc::Status& status);

/// A call by its method of a generated stub, with the deadline that users give each call.
template <typename Service, typename Request, typename Answer>
Method method(grpc::Status (Service::Stub::*stub)(grpc::ClientContext*, const Request&, Answer*)) {
    using Caller = own::Caller<Form, Request, Answer>;
    return [stub](const Channels& channels, std::chrono::milliseconds timeout, const kit::Json& payloads) {
        const auto pairs = own::pairs_of<Form, Request, Answer>(payloads);
        kit::Calls calls;
        for (const auto& channel : channels) {
            auto invoke = [stub, timeout, its = std::shared_ptr{Service::NewStub(channel)}](const Request& request, Answer& answer) {
                grpc::ClientContext context;
                context.set_deadline(std::chrono::system_clock::now() + timeout);
                require(((*its).*stub)(&context, request, &answer));
            };
            calls.push_back(std::make_unique<Caller>(std::move(invoke), pairs));
        }
        return calls;
    };
}

/// A method of the server.
template <typename Request, typename Answer>
class Answers {
  public:
    Answers(std::shared_ptr<kit::Service> service, std::string call, std::size_t place)
        : answers_(std::move(service), std::move(call), place) {}

    /// Copies the answer into the message that gRPC gives. The service's refusal has a status of its own.
    grpc::Status answer(const Request& request, Answer& into) {
        try {
            into = *answers_.of(request);
            return grpc::Status::OK;
        } catch (const kit::Failure& failure) {
            return {grpc::StatusCode::INVALID_ARGUMENT, failure.what()};
        }
    }

  private:
    own::Answers<Form, Request, Answer> answers_;
};

/// What was generated: the server's service, and the methods of clients by the names of the calls.
struct Generated {
    std::function<std::unique_ptr<grpc::Service>(std::shared_ptr<kit::Service>)> service;
    std::map<std::string, Method> methods;
};

kit::Stack stack(Generated generated);

/// The libraries, with their versions.
std::map<std::string, std::string> libraries();

} // namespace rpc
