#include "direct.hpp"

#include "failure.hpp"

namespace kit {
namespace {

class Named : public Server {
  public:
    explicit Named(std::string endpoint, std::shared_ptr<Service> service = {})
        : endpoint_(std::move(endpoint)), service_(std::move(service)) {}

    [[nodiscard]] std::string endpoint() const override { return endpoint_; }

  private:
    std::string endpoint_;
    /// Keeps the service findable while it is served.
    std::shared_ptr<Service> service_;
};

class Unasked : public Prepared {
  public:
    void make() override {}
    bool right() override { return true; }
    Answer answer() override { return {}; }
};

class Idle : public Client {
  public:
    std::unique_ptr<Prepared> prepare(const Call& call) override {
        if (!std::holds_alternative<Empty>(call)) {
            throw Failure{Kind::cannot_carry, "the stack nothing carries Empty only"};
        }
        return std::make_unique<Unasked>();
    }
};

class Nothing : public Stack {
  public:
    [[nodiscard]] std::string name() const override { return "nothing"; }

    std::unique_ptr<Server> serve(std::shared_ptr<Service> /*service*/, const Listen& /*at*/) override {
        return std::make_unique<Named>("nothing");
    }

    Clients connect(const Connect& to) override {
        Clients clients;
        for (std::size_t at = 0; at < to.clients; ++at) {
            clients.all.push_back(std::make_unique<Idle>());
        }
        return clients;
    }
};

class DirectCall : public Prepared {
  public:
    DirectCall(std::shared_ptr<Service> service, const Call& call) : service_(std::move(service)), call_(call), expectation_(call) {}

    void make() override { answered_ = answer(); }

    bool right() override {
        const auto right = expectation_.holds(call_, *answered_);
        answered_.reset();
        return right;
    }

    Answer answer() override {
        try {
            return service_->answer(call_);
        } catch (const Fault& fault) {
            throw Failure{Kind::fault, to_utf8(fault.message).value_or("a fault")};
        }
    }

  private:
    std::shared_ptr<Service> service_;
    Call call_;
    Expectation expectation_;
    std::optional<Answer> answered_;
};

class Caller : public Client {
  public:
    explicit Caller(std::shared_ptr<Service> service) : service_(std::move(service)) {}

    std::unique_ptr<Prepared> prepare(const Call& call) override { return std::make_unique<DirectCall>(service_, call); }

  private:
    std::shared_ptr<Service> service_;
};

class Direct : public Stack {
  public:
    [[nodiscard]] std::string name() const override { return "direct"; }

    std::unique_ptr<Server> serve(std::shared_ptr<Service> service, const Listen& /*at*/) override {
        served_ = service;
        return std::make_unique<Named>("direct", std::move(service));
    }

    Clients connect(const Connect& to) override {
        const auto service = served_.lock();
        if (!service || to.endpoint != "direct") {
            throw Failure{Kind::refused, "nothing is served in this process: serve the stack direct first, in the same adapter"};
        }
        Clients clients;
        for (std::size_t at = 0; at < to.clients; ++at) {
            clients.all.push_back(std::make_unique<Caller>(service));
        }
        return clients;
    }

  private:
    std::weak_ptr<Service> served_;
};

} // namespace

std::unique_ptr<Stack> nothing() { return std::make_unique<Nothing>(); }

std::unique_ptr<Stack> direct() { return std::make_unique<Direct>(); }

} // namespace kit
