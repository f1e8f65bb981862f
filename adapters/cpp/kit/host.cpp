#include "host.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <thread>

namespace kit {

Host::Host() : out_(fdopen(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3), "w")) {
    if (out_ == nullptr || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        std::perror("callbench: the runner cannot keep its standard output");
        std::_Exit(1);
    }
    // If the host has gone, a write fails.
    std::signal(SIGPIPE, SIG_IGN);
    // Blocked before any thread is started, so that only the one that waits for it sees it.
    sigset_t terminate;
    sigemptyset(&terminate);
    sigaddset(&terminate, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &terminate, nullptr);
    std::thread{[this, terminate] {
        int number = 0;
        sigwait(&terminate, &number);
        end();
    }}.detach();
    std::thread{[this] {
        read();
        end();
    }}.detach();
}

void Host::say(const Json& message) {
    const auto line = message.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
    const std::scoped_lock alone{writing_};
    if (std::fwrite(line.data(), 1, line.size(), out_) != line.size() || std::fflush(out_) != 0) {
        std::_Exit(0);
    }
}

std::optional<Json> Host::next() {
    std::unique_lock alone{lock_};
    changed_.wait(alone, [this] { return stopping.load() || !requests_.empty(); });
    if (stopping.load()) {
        return std::nullopt;
    }
    auto request = std::move(requests_.front());
    requests_.pop_front();
    return request;
}

Json Host::ask(const std::string& call, const Json& arguments) {
    std::unique_lock alone{lock_};
    const auto number = ++asked_;
    say({{"is", "ask"}, {"ask", number}, {"call", call}, {"arguments", arguments}});
    changed_.wait(alone, [&] { return stopping.load() || answers_.contains(number); });
    if (!answers_.contains(number)) {
        throw Failure{"closed", "the host has gone before it answered"};
    }
    return std::move(answers_.extract(number).mapped());
}

void Host::read() {
    std::ios::sync_with_stdio(false);
    for (std::string line; std::getline(std::cin, line);) {
        auto said = Json::parse(line, nullptr, false);
        if (!said.is_object() || !said.contains("do")) {
            std::cerr << "callbench: the host wrote what is no line of the runner protocol: " << line.substr(0, 80) << '\n';
            std::_Exit(1);
        }
        // A line may be of hundreds of megabytes, and the next one seldom is.
        std::string{}.swap(line);
        const std::scoped_lock alone{lock_};
        if (said["do"] == "answer") {
            answers_.emplace(said.at("ask").get<std::uint64_t>(), std::move(said));
        } else {
            requests_.push_back(std::move(said));
        }
        changed_.notify_all();
    }
}

void Host::end() {
    {
        const std::scoped_lock alone{lock_};
        stopping.store(true);
        changed_.notify_all();
    }
    std::this_thread::sleep_for(std::chrono::seconds{1});
    std::_Exit(0);
}

} // namespace kit
