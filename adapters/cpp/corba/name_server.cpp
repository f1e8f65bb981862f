#include "name_server.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <vector>

#include "../kit/stack.hpp"

namespace corba {
namespace {

namespace fs = std::filesystem;

kit::Failure no_resources(const std::string& what) {
    return kit::Failure{"out-of-resources", "omniNames cannot be started: " + what + ": " + std::strerror(errno)};
}

/// A port reserved by a socket that is bound but does not listen. Both sides set SO_REUSEADDR, so that omniNames can use the port while it
/// is reserved here. No other process can take it in between.
class HeldPort {
  public:
    explicit HeldPort(const std::string& host) {
        addrinfo hints{};
        hints.ai_flags = AI_NUMERICHOST;
        hints.ai_socktype = SOCK_STREAM;
        addrinfo* found = nullptr;
        if (getaddrinfo(host.c_str(), "0", &hints, &found) != 0) {
            throw kit::Failure{"bad-request", "host is " + host + ": it must be an IP address"};
        }
        socket_ = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const int on = 1;
        setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        const int bound = bind(socket_, found->ai_addr, found->ai_addrlen);
        freeaddrinfo(found);
        if (socket_ < 0 || bound < 0) {
            const auto failure = no_resources("no port can be had on " + host);
            close(socket_);
            throw failure;
        }
    }

    HeldPort(const HeldPort&) = delete;
    HeldPort& operator=(const HeldPort&) = delete;
    ~HeldPort() { close(socket_); }

    [[nodiscard]] std::uint16_t number() const {
        sockaddr_storage address{};
        socklen_t length = sizeof address;
        getsockname(socket_, static_cast<sockaddr*>(static_cast<void*>(&address)), &length);
        std::array<char, NI_MAXSERV> text{};
        getnameinfo(static_cast<sockaddr*>(static_cast<void*>(&address)), length, nullptr, 0, text.data(), text.size(), NI_NUMERICSERV);
        return static_cast<std::uint16_t>(std::strtoul(text.data(), nullptr, 10));
    }

  private:
    int socket_ = -1;
};

/// Between fork and exec: only what is safe there.
[[noreturn]] void become(const std::vector<char*>& argv, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0UL, 0UL, 0UL);
    if (getppid() != parent) {
        _exit(1);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    execv(argv.front(), argv.data());
    _exit(127);
}

} // namespace

std::string find_omninames() {
    const char* const path = std::getenv("PATH");
    std::istringstream folders{path == nullptr ? "/usr/bin:/bin" : path};
    for (std::string folder; std::getline(folders, folder, ':');) {
        const auto file = (folder.empty() ? fs::path{"."} : fs::path{folder}) / "omniNames";
        if (access(file.c_str(), X_OK) == 0) {
            return file;
        }
    }
    return {};
}

NameServer::NameServer(const std::string& host) {
    const auto program = find_omninames();
    if (program.empty()) {
        throw kit::Failure{"unsupported", "omniNames is not installed: run make cpp"};
    }
    auto name = (fs::temp_directory_path() / "callbench-names-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
        throw no_resources("no folder can be made for its files");
    }
    folder_ = name;
    const HeldPort held{host};
    port_ = held.number();
    const auto number = std::to_string(port_);
    const auto bracketed = host.find(':') == std::string::npos ? host : '[' + host + ']';
    std::vector<std::string> words{program,
                                   "-start",
                                   number,
                                   "-always",
                                   "-datadir",
                                   folder_,
                                   "-nohostname",
                                   "-errlog",
                                   folder_ + "/log",
                                   "-ORBendPoint",
                                   "giop:tcp:" + bracketed + ':' + number};
    std::vector<char*> argv;
    for (auto& word : words) {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    const auto parent = getpid();
    process_ = fork();
    if (process_ == 0) {
        become(argv, parent);
    }
    if (process_ < 0) {
        const auto failure = no_resources("no process can be made");
        forget_files();
        throw failure;
    }
}

NameServer::~NameServer() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    forget_files();
}

bool NameServer::runs() const {
    siginfo_t ended{};
    return waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == 0;
}

void NameServer::forget_files() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
}

} // namespace corba
