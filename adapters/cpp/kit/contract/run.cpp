#include "run.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "lines.hpp"
#include "session.hpp"

namespace kit {
namespace {

/// The core kills what has not ended after 5 s; whoever hangs ends by itself before that.
constexpr std::chrono::seconds GRACE{4};
/// How long a drive may go on whose core has closed our stdin.
constexpr std::chrono::seconds LAST_DRIVE{2};

/// Keeps the real stdout to itself and points file descriptor 1 at stderr, since libraries print.
int kept_stdout() {
    const int kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (kept < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        std::perror("callbench: the adapter cannot keep its standard output");
        std::exit(1);
    }
    return kept;
}

/// Ends drives after `first`, and the process where that did not help.
void end_soon(std::atomic<bool>& stopping, std::chrono::seconds first) {
    std::this_thread::sleep_for(first);
    stopping.store(true);
    std::this_thread::sleep_for(GRACE - first);
    std::fputs("callbench: a call or a server does not end, so the adapter leaves without it\n", stderr);
    std::_Exit(1);
}

} // namespace

int run(const std::function<Adapter()>& make) {
    const int out = kept_stdout();
    // A core that has gone is seen by the write that fails.
    std::signal(SIGPIPE, SIG_IGN);
    // Blocked before any thread is started, so that only the one that waits for it sees it.
    sigset_t terminate;
    sigemptyset(&terminate);
    sigaddset(&terminate, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &terminate, nullptr);
    // These outlive main's frame: the threads that use them are ended by the end of the process.
    static std::atomic<bool> stopping{false};
    static Lines lines;
    std::thread{[terminate] {
        int number = 0;
        sigwait(&terminate, &number);
        lines.end();
        end_soon(stopping, std::chrono::seconds{0});
    }}.detach();
    std::thread{[] {
        lines.read(STDIN_FILENO);
        end_soon(stopping, LAST_DRIVE);
    }}.detach();
    {
        Session session{make(), out, stopping};
        session.greet();
        while (const auto line = lines.next()) {
            if (!session.answer(*line)) {
                break;
            }
        }
    }
    // Not exit: it would take statics away from threads that still run.
    std::_Exit(0);
}

} // namespace kit
