/// The JSON of plain structs by nlohmann's library, as a person would write it. Functions for messages and enumerations are generated,
/// beside their types, where these templates find them.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../kit/base64.hpp"
#include "../kit/stack.hpp"
#include "../own/same.hpp"

namespace own {

using kit::Json;

/// In JSON they are base64.
struct Bytes {
    std::string held;
};

inline kit::Failure unfit(const Json& item) {
    return {"cannot-carry",
            "the value " + item.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 64) + " does not fit the type of its field"};
}

inline void require(bool holds, const Json& item) {
    if (!holds) {
        throw unfit(item);
    }
}

inline void read(const Json& tree, bool& into) {
    require(tree.is_boolean(), tree);
    into = tree.get<bool>();
}

template <std::integral T>
void read(const Json& tree, T& into) {
    if (tree.is_number_unsigned()) {
        require(std::in_range<T>(tree.get<std::uint64_t>()), tree);
    } else {
        require(tree.is_number_integer() && std::in_range<T>(tree.get<std::int64_t>()), tree);
    }
    into = tree.get<T>();
}

template <std::floating_point T>
void read(const Json& tree, T& into) {
    require(tree.is_number(), tree);
    into = static_cast<T>(tree.get<double>());
    require(std::isfinite(into), tree);
}

inline void read(const Json& tree, std::string& into) {
    require(tree.is_string(), tree);
    into = tree.get_ref<const std::string&>();
}

inline void read(const Json& tree, Bytes& into) {
    require(tree.is_string(), tree);
    const auto& text = tree.get_ref<const std::string&>();
    into.held.resize(kit::room_of_base64(text));
    into.held.resize(kit::from_base64(text, static_cast<std::uint8_t*>(static_cast<void*>(into.held.data()))));
}

inline void read(const Json& tree, Json& into) { into = tree; }

template <typename T>
void read(const Json& tree, std::vector<T>& into) {
    into.clear();
    into.reserve(tree.size());
    for (const auto& item : tree) {
        T value{};
        read(item, value);
        into.push_back(std::move(value));
    }
}

/// JSON writes every key as a text.
template <typename K>
K key_of(const std::string& text) {
    if constexpr (std::is_same_v<K, std::string>) {
        return text;
    } else {
        K key{};
        read(Json::parse(text), key);
        return key;
    }
}

template <typename K>
std::string text_of(const K& key) {
    if constexpr (std::is_same_v<K, std::string>) {
        return key;
    } else {
        return Json(key).dump();
    }
}

template <typename K, typename T>
void read(const Json& tree, std::map<K, T>& into) {
    into.clear();
    for (const auto& [key, item] : tree.items()) {
        read(item, into[key_of<K>(key)]);
    }
}

template <typename T>
void read(const Json& tree, std::optional<T>& into) {
    read(tree, into.emplace());
}

template <typename T>
void read(const Json& tree, std::unique_ptr<T>& into) {
    into = std::make_unique<T>();
    read(tree, *into);
}

/// What may be without a value.
template <typename T>
concept Absent = requires(T& value) {
    value.reset();
    static_cast<bool>(value);
};

/// Whether a value is to be written; only an optional one may be absent.
template <typename T>
bool there(const T& value) {
    if constexpr (Absent<T>) {
        return static_cast<bool>(value);
    } else {
        return true;
    }
}

/// A value that may be absent or null where its type is optional.
template <typename T>
void read_whole(const Json& tree, T& into) {
    if constexpr (Absent<T>) {
        if (tree.is_null()) {
            into.reset();
            return;
        }
    }
    read(tree, into);
}

template <typename T>
void read_member(const Json& tree, std::string_view key, T& into) {
    require(tree.is_object(), tree);
    if (const auto found = tree.find(key); found != tree.end()) {
        read_whole(*found, into);
    } else {
        into = T{};
    }
}

inline Json plain(bool value) { return value; }
inline Json plain(double value) { return value; }
inline Json plain(const std::string& value) { return value; }
inline Json plain(const Json& value) { return value; }

template <std::integral T>
Json plain(T value) {
    return value;
}

/// The shortest number that gives the same value again.
inline Json plain(float value) {
    std::array<char, 32> written{};
    const auto end = std::to_chars(written.data(), written.data() + written.size(), value).ptr;
    double found = 0;
    std::from_chars(written.data(), end, found);
    return found;
}

inline Json plain(const Bytes& value) {
    return kit::to_base64({static_cast<const std::uint8_t*>(static_cast<const void*>(value.held.data())), value.held.size()});
}

template <typename T>
Json plain(const std::vector<T>& value) {
    auto items = Json::array();
    for (const auto& item : value) {
        items.push_back(plain(item));
    }
    return items;
}

template <typename K, typename T>
Json plain(const std::map<K, T>& value) {
    auto members = Json::object();
    for (const auto& [key, item] : value) {
        members[text_of(key)] = plain(item);
    }
    return members;
}

template <typename T>
Json plain(const std::optional<T>& value) {
    return value ? plain(*value) : Json{};
}

template <typename T>
Json plain(const std::unique_ptr<T>& value) {
    return value ? plain(*value) : Json{};
}

/// A member; one that is absent is left out, or null.
template <typename T>
void write_member(Json& into, std::string_view key, const T& value, bool nullable = false) {
    if (nullable || there(value)) {
        into[std::string{key}] = plain(value);
    }
}

/// The names of an enumeration's values, as JSON has them. Of two names with one number, the first is written.
template <typename T>
using Labels = std::vector<std::pair<std::string_view, T>>;

template <typename T>
void read_label(const Json& tree, T& into, const Labels<T>& labels) {
    require(tree.is_string(), tree);
    const auto found = std::ranges::find(labels, std::string_view{tree.get_ref<const std::string&>()}, &Labels<T>::value_type::first);
    require(found != labels.end(), tree);
    into = found->second;
}

template <typename T>
Json label(T value, const Labels<T>& labels) {
    const auto found = std::ranges::find(labels, value, &Labels<T>::value_type::second);
    return found == labels.end() ? Json(static_cast<std::underlying_type_t<T>>(value)) : Json(found->first);
}

inline bool same(const Bytes& right, const Bytes& found, Turn& turn) { return Octets{}(right.held, found.held, turn); }

/// Any JSON value is compared as a whole.
inline bool same(const Json& right, const Json& found, Turn& /*turn*/) { return right == found; }

template <typename T>
bool same(const std::vector<T>& right, const std::vector<T>& found, Turn& turn) {
    return same_list(right, found, turn);
}

template <typename K, typename T>
bool same(const std::map<K, T>& right, const std::map<K, T>& found, Turn& turn) {
    return same_map(right, found, turn);
}

template <Absent T>
bool same(const T& right, const T& found, Turn& turn) {
    return there(right) == there(found) && (!there(right) || same(*right, *found, turn));
}

} // namespace own

namespace http {

/// What is done with a message besides sending it, and in sending it.
struct Form {
    template <typename T>
    static void read(const kit::Json& tree, T& into) {
        using own::read;
        read(tree, into);
    }

    template <typename T>
    static kit::Json plain(const T& from) {
        using own::plain;
        return plain(from);
    }

    /// The request's own JSON, whose members are in the order of their keys.
    template <typename T>
    static void key(const T& of, std::string& key) {
        key = Form::plain(of).dump();
    }
};

} // namespace http
