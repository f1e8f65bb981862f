#include "lines.hpp"

#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <utility>
#include <vector>

namespace kit {

void Lines::read(int descriptor) {
    std::vector<char> buffer(std::size_t{1} << 16);
    for (;;) {
        const auto count = ::read(descriptor, buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            break;
        }
        std::string_view rest{buffer.data(), static_cast<std::size_t>(count)};
        for (auto end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
            take(rest.substr(0, end));
            finish_line();
            rest.remove_prefix(end + 1);
        }
        take(rest);
    }
    if (!partial_.text.empty() || partial_.too_long) {
        finish_line();
    }
    end();
}

void Lines::take(std::string_view piece) {
    if (partial_.too_long || partial_.text.size() + piece.size() > LONGEST) {
        partial_ = {{}, true};
    } else {
        partial_.text += piece;
    }
}

void Lines::finish_line() {
    const std::scoped_lock alone{lock_};
    waiting_.push_back(std::exchange(partial_, {}));
    changed_.notify_all();
}

void Lines::end() {
    const std::scoped_lock alone{lock_};
    ended_ = true;
    changed_.notify_all();
}

std::optional<Line> Lines::next() {
    std::unique_lock alone{lock_};
    changed_.wait(alone, [this] { return ended_ || !waiting_.empty(); });
    if (waiting_.empty()) {
        return std::nullopt;
    }
    auto line = std::move(waiting_.front());
    waiting_.pop_front();
    return line;
}

} // namespace kit
