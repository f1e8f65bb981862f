#include "stack.hpp"

#include <omniORB4/Naming.hh>
#include <omniORB4/omniORB.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "calls.hpp"
#include "name_server.hpp"
#include "orb.hpp"
#include "servant.hpp"

namespace corba {
namespace {

/// The object's name in the naming service.
constexpr const char* NAME = "SpeedService";
/// How long omniNames may take to answer for the first time.
constexpr std::chrono::seconds PATIENCE{25};

std::string at(const std::string& host, int port) {
    return (host.find(':') == std::string::npos ? host : '[' + host + ']') + ':' + std::to_string(port);
}

CosNaming::Name name() {
    CosNaming::Name path;
    path.length(1);
    path[0].id = CORBA::string_dup(NAME);
    path[0].kind = CORBA::string_dup("");
    return path;
}

class Served : public kit::Server {
  public:
    Served(std::shared_ptr<kit::Service> service, const std::string& host, int port)
        : names_(host), endpoint_("corbaname::" + at(host, names_.port()) + '#' + NAME),
          orb_({{"endPoint", "giop:tcp:" + at(host, port)}}) {
        guarded([&] {
            PortableServer::POA_var poa = PortableServer::POA::_narrow(CORBA::Object_var{orb_->resolve_initial_references("RootPOA")});
            PortableServer::Servant_var<Servant> servant{new Servant{std::move(service)}};
            const PortableServer::ObjectId_var id = poa->activate_object(servant.in());
            poa->the_POAManager()->activate();
            bind(host, CORBA::Object_var{poa->id_to_reference(id)});
        });
    }

    [[nodiscard]] std::string endpoint() const override { return endpoint_; }

  private:
    /// Enters the object's name, as soon as the naming service answers.
    void bind(const std::string& host, const CORBA::Object_var& object) {
        const auto deadline = std::chrono::steady_clock::now() + PATIENCE;
        for (;;) {
            try {
                const CORBA::Object_var found = orb_->string_to_object(("corbaloc::" + at(host, names_.port()) + "/NameService").c_str());
                const CosNaming::NamingContext_var context = CosNaming::NamingContext::_narrow(found);
                context->rebind(name(), object);
                names_.forget_files();
                return;
            } catch (const CORBA::SystemException&) {
                if (!names_.runs()) {
                    throw kit::Failure{"out-of-resources", "omniNames ended by itself when it was started"};
                }
                if (std::chrono::steady_clock::now() > deadline) {
                    throw;
                }
                std::this_thread::sleep_for(std::chrono::milliseconds{5});
            }
        }
    }

    NameServer names_;
    std::string endpoint_;
    // Ends before the naming service, and takes its connections along.
    Orb orb_;
};

/// The object from its naming service. It is checked once whether the object exists.
callbench::SpeedService_var resolved(const Orb& orb, const std::string& endpoint) {
    try {
        const CORBA::Object_var object = orb->string_to_object(endpoint.c_str());
        callbench::SpeedService_var service = callbench::SpeedService::_narrow(object);
        if (CORBA::is_nil(service) || service->_non_existent()) {
            throw kit::Failure{"protocol", "the object at " + endpoint + " is no SpeedService"};
        }
        return service;
    } catch (const CORBA::BAD_PARAM&) {
        throw kit::Failure{"bad-request",
                           "the endpoint " + endpoint.substr(0, 64) + " is no address of CORBA: corbaname, corbaloc and IOR are"};
    } catch (const CORBA::SystemException& exception) {
        const auto failure = failure_of(exception);
        throw kit::Failure{failure.kind,
                           "the object at " + endpoint.substr(0, 128) + " is not reached through its naming service: " + failure.what()};
    }
}

class Callers : public kit::Clients {
  public:
    Callers(const std::string& endpoint, std::size_t clients, std::uint64_t timeout_ms)
        : clients_(clients), orb_({{"clientCallTimeOutPeriod", std::to_string(timeout_ms)},
                                   {"clientConnectTimeOutPeriod", std::to_string(timeout_ms)},
                                   // By default, omniORB opens at most five connections to a server. Each client thread needs one.
                                   {"maxGIOPConnectionPerServer", std::to_string(std::max<std::size_t>(clients, 5))}}),
          service_(resolved(orb_, endpoint)) {}

    /// That of the first call; the others are opened where calls overlap.
    [[nodiscard]] std::size_t connections() const override { return 1; }

    kit::Calls prepare(const std::string& operation, const kit::Json& payloads) override {
        return prepared(service_, operation, payloads, clients_);
    }

  private:
    std::size_t clients_;
    Orb orb_;
    callbench::SpeedService_var service_;
};

} // namespace

kit::Stack omniorb() {
    return {"corba-omniorb", find_omninames().empty() ? "its naming service, omniNames, is not installed: run `make cpp`" : "",
            [](std::shared_ptr<kit::Service> service, const std::string& host, int port) {
                return std::make_unique<Served>(std::move(service), host, port);
            },
            [](const std::string& endpoint, std::size_t clients, std::uint64_t timeout_ms) {
                return std::make_unique<Callers>(endpoint, clients, timeout_ms);
            }};
}

std::map<std::string, std::string> libraries() { return {{"omniORB", omniORB::versionString()}}; }

} // namespace corba
