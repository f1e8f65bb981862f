/// Requests line by line, read on a thread of its own so that the end of stdin is noticed while a drive runs.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

namespace kit {

/// One line of the core's. Of one longer than the contract allows nothing is kept.
struct Line {
    std::string text;
    bool too_long = false;
};

class Lines {
  public:
    /// No line is longer, its LF not counted.
    static constexpr std::size_t LONGEST = std::size_t{16} << 20;

    /// Reads the descriptor to its end. A last line without LF counts.
    void read(int descriptor);

    /// Nothing more comes.
    void end();

    /// The next line; nothing at the end.
    std::optional<Line> next();

  private:
    void take(std::string_view piece);
    void finish_line();

    std::mutex lock_;
    std::condition_variable changed_;
    std::deque<Line> waiting_;
    Line partial_;
    bool ended_ = false;
};

} // namespace kit
