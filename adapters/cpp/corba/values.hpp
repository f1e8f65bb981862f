/// Values of the IDL's own types: read from plain values, shown as such, and compared by the check of contract/RUNNER.md.
#pragma once

#include <cstdlib>

#include "../kit/base64.hpp"
#include "../kit/check.hpp"
#include "records.hpp"
#include "text.hpp"

namespace corba {

using kit::Json;

/// The result of an operation without an answer.
struct Nothing {};

template <typename T>
concept Number = std::is_arithmetic_v<T>;

/// One of the IDL's unions for a value that may be absent.
template <typename T>
concept Maybe = requires(const T& it) {
    it._d();
    it.there();
};

template <typename T>
concept Sequence = requires(const T& it) {
    it.length();
    it.get_buffer();
};

// Converts a plain value to a value of the IDL. Numbers may be strings, for large values and values that JSON cannot represent as numbers.

template <Number T>
void read(const Json& plain, T& into) {
    if (!plain.is_string()) {
        into = plain.get<T>();
    } else if constexpr (std::is_floating_point_v<T>) {
        into = static_cast<T>(std::strtod(plain.get_ref<const std::string&>().c_str(), nullptr));
    } else {
        into = static_cast<T>(std::strtoll(plain.get_ref<const std::string&>().c_str(), nullptr, 10));
    }
}

inline void read(const Json& /*plain*/, Nothing& /*into*/) {}

inline void read(const Json& plain, CORBA::WString_member& into) { into = wide(plain).c_str(); }

inline void read(const Json& plain, std::wstring& into) { into = wide(plain); }

inline void read(const Json& plain, callbench::Octets& into) {
    const auto& text = plain.get_ref<const std::string&>();
    into.length(static_cast<CORBA::ULong>(kit::room_of_base64(text)));
    into.length(static_cast<CORBA::ULong>(kit::from_base64(text, into.get_buffer())));
}

inline void read(const Json& plain, callbench::Strings& into) {
    into.length(static_cast<CORBA::ULong>(plain.size()));
    for (CORBA::ULong at = 0; at < into.length(); ++at) {
        into[at] = wide(plain[at]).c_str();
    }
}

template <Maybe T>
void read(const Json& plain, T& into) {
    if constexpr (std::is_same_v<T, callbench::MaybeString>) {
        into.there(wide(plain).c_str());
    } else {
        std::remove_cvref_t<decltype(into.there())> value{};
        read(plain, value);
        into.there(value);
    }
}

template <Record T>
void read(const Json& plain, T& into);

template <Sequence T>
void read(const Json& plain, T& into) {
    into.length(static_cast<CORBA::ULong>(plain.size()));
    for (CORBA::ULong at = 0; at < into.length(); ++at) {
        read(plain[at], into[at]);
    }
}

/// Members that are left out stay absent.
template <Record T>
void read(const Json& plain, T& into) {
    const auto one = [&](const auto& member) {
        if (const auto found = plain.find(member.name); found != plain.end() && !found->is_null()) {
            read(*found, into.*member.at);
        }
    };
    std::apply([&](const auto&... its) { (one(its), ...); }, members<T>);
}

// Show: a value of the IDL as a plain value.

template <Number T>
Json shown(T value) {
    return value;
}

inline Json shown(Nothing /*value*/) { return nullptr; }

inline Json shown(const CORBA::WChar* value) { return plain_text(value); }

inline Json shown(const callbench::Octets& value) { return kit::to_base64({value.get_buffer(), value.length()}); }

template <Maybe T>
Json shown(const T& value) {
    return value._d() ? shown(value.there()) : Json{};
}

template <Record T>
Json shown(const T& value);

template <Sequence T>
Json shown(const T& value) {
    Json list = Json::array();
    for (CORBA::ULong at = 0; at < value.length(); ++at) {
        list.push_back(shown(value[at]));
    }
    return list;
}

template <Record T>
Json shown(const T& value) {
    Json object = Json::object();
    const auto one = [&](const auto& member) {
        if (auto its = shown(value.*member.at); !its.is_null()) {
            object[member.name] = std::move(its);
        }
    };
    std::apply([&](const auto&... its) { (one(its), ...); }, members<T>);
    return object;
}

// Compare: what was found with what is right, as the turn of the call has it.

template <Number T>
bool same(T found, T right, std::size_t /*turn*/) {
    return found == right;
}

inline bool same(Nothing /*found*/, Nothing /*right*/, std::size_t /*turn*/) { return true; }

/// A wide string of CORBA does not know its length, so its end is looked for. It is what any user of it pays.
inline bool same(const CORBA::WChar* found, const CORBA::WChar* right, std::size_t turn) {
    return kit::same_text(std::wstring_view{found}, std::wstring_view{right}, turn);
}

template <Maybe T>
bool same(const T& found, const T& right, std::size_t turn) {
    return found._d() == right._d() && (!found._d() || same(found.there(), right.there(), turn));
}

template <Record T>
bool same(const T& found, const T& right, std::size_t turn);

template <Sequence T>
bool same(const T& found, const T& right, std::size_t turn) {
    const auto same_at = [&](std::size_t at) {
        const auto place = static_cast<CORBA::ULong>(at);
        return same(found[place], right[place], turn);
    };
    // For bytes, the first element is compared too.
    const bool first = !std::is_same_v<T, callbench::Octets> || found.length() == 0 || right.length() == 0 || same_at(0);
    return found.length() == right.length() && first && kit::same_elements(found.length(), turn, same_at);
}

template <Record T>
bool same(const T& found, const T& right, std::size_t turn) {
    const auto one = [&](const auto& member) { return same(found.*member.at, right.*member.at, turn); };
    return std::apply([&](const auto&... its) { return (one(its) && ...); }, members<T>);
}

} // namespace corba
