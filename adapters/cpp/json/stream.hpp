/// A TCP connection for Boost.Beast whose operations block, but not for ever: Boost's own have time-outs only where they do not block.
#pragma once

#include <sys/socket.h>
#include <sys/time.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/system/error_code.hpp>
#include <cerrno>
#include <chrono>

namespace http {

using Tcp = boost::asio::ip::tcp;

class Stream {
  public:
    explicit Stream(Tcp::socket socket) : socket_(std::move(socket)) { socket_.set_option(Tcp::no_delay{true}); }

    /// How long one operation may take at most.
    void limit(std::chrono::milliseconds most) {
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(most);
        const timeval time{seconds.count(), std::chrono::duration_cast<std::chrono::microseconds>(most - seconds).count()};
        ::setsockopt(socket_.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
        ::setsockopt(socket_.native_handle(), SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
    }

    template <typename Buffers>
    std::size_t read_some(const Buffers& into, boost::system::error_code& failure) {
        const boost::asio::mutable_buffer first{*boost::asio::buffer_sequence_begin(into)};
        const auto count = again([&] { return ::recv(socket_.native_handle(), first.data(), first.size(), 0); }, failure);
        if (count == 0 && first.size() > 0 && !failure) {
            failure = boost::asio::error::eof;
        }
        return count;
    }

    template <typename Buffers>
    std::size_t write_some(const Buffers& from, boost::system::error_code& failure) {
        std::array<iovec, 16> parts{};
        msghdr message{};
        message.msg_iov = parts.data();
        const auto end = boost::asio::buffer_sequence_end(from);
        for (auto at = boost::asio::buffer_sequence_begin(from); at != end && message.msg_iovlen < parts.size(); ++at) {
            const boost::asio::const_buffer part{*at};
            // sendmsg does not write there.
            parts[message.msg_iovlen++] = {const_cast<void*>(part.data()), part.size()};
        }
        return again([&] { return ::sendmsg(socket_.native_handle(), &message, MSG_NOSIGNAL); }, failure);
    }

    template <typename Buffers>
    std::size_t read_some(const Buffers& into) {
        boost::system::error_code failure;
        const auto count = read_some(into, failure);
        return failure ? throw boost::system::system_error{failure} : count;
    }

    template <typename Buffers>
    std::size_t write_some(const Buffers& from) {
        boost::system::error_code failure;
        const auto count = write_some(from, failure);
        return failure ? throw boost::system::system_error{failure} : count;
    }

    /// Ends every operation, also those of other threads.
    void end() { ::shutdown(socket_.native_handle(), SHUT_RDWR); }

  private:
    template <typename Operation>
    static std::size_t again(const Operation& operation, boost::system::error_code& failure) {
        for (;;) {
            if (const auto count = operation(); count >= 0) {
                failure = {};
                return static_cast<std::size_t>(count);
            }
            if (errno == EAGAIN) {
                failure = boost::asio::error::timed_out;
                return 0;
            }
            if (errno != EINTR) {
                failure = {errno, boost::system::system_category()};
                return 0;
            }
        }
    }

    Tcp::socket socket_;
};

} // namespace http
