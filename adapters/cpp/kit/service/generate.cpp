#include "generate.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <type_traits>

#include "names.hpp"

namespace kit::generate {
namespace {

std::size_t last_place(std::size_t index) { return (index * 31 + index / 256 + 7) % 256; }

void put_little_endian(Octets& bytes, std::uint64_t word, std::size_t count) {
    for (std::size_t at = 0; at < count; ++at) {
        bytes.push_back(static_cast<std::uint8_t>(word >> (8 * at)));
    }
}

Octets article(std::size_t size) {
    Octets bytes;
    bytes.reserve(size);
    SplitMix64 generator{1};
    for (std::size_t at = 0; at < size / 4; ++at) {
        put_little_endian(bytes, generator.draw(size / 4), 4);
    }
    return bytes;
}

Octets random(std::size_t size) {
    Octets bytes;
    bytes.reserve(size + 8);
    SplitMix64 generator{2};
    while (bytes.size() < size) {
        put_little_endian(bytes, generator.next(), 8);
    }
    bytes.resize(size);
    return bytes;
}

Octets words(std::size_t size) {
    Octets bytes;
    bytes.reserve(size + 16);
    SplitMix64 generator{3};
    while (bytes.size() < size) {
        const auto word = FIRST_NAMES.at(generator.draw(256));
        bytes.insert(bytes.end(), word.begin(), word.end());
        bytes.push_back(' ');
    }
    bytes.resize(size);
    return bytes;
}

Text ascii(std::string_view text) { return from_ascii(text); }

UserDetails user(std::size_t i) {
    std::string user_name{FIRST_NAMES.at(i % 256)};
    std::ranges::transform(user_name, user_name.begin(), [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    user_name += std::to_string(i);
    const auto full_name = std::string{FIRST_NAMES.at(i % 256)} + ' ' + std::string{LAST_NAMES.at(last_place(i))};
    return {ascii(user_name),
            ascii(full_name),
            ascii(user_name + "@example.org"),
            static_cast<std::int32_t>(18 + i % 60),
            i % 2 == 0,
            1'167'609'600'000 + static_cast<std::int64_t>(i) * 60'000};
}

TestStructureBean bean(std::size_t i) {
    const auto id = static_cast<std::int32_t>(i);
    const auto number = std::to_string(i);
    return {id,         ascii("bean" + number), ascii("A bean of the test structure, number " + number), id * 1.25,
            i % 3 == 0, {id, id + 1, id + 2}};
}

template <typename T>
T fixed() {
    if constexpr (std::is_same_v<T, bool>) {
        return true;
    } else if constexpr (std::is_same_v<T, char16_t>) {
        return u'A';
    } else if constexpr (std::is_same_v<T, std::uint8_t>) {
        return 42;
    } else if constexpr (std::is_same_v<T, std::int16_t>) {
        return 4242;
    } else if constexpr (std::is_same_v<T, std::int32_t>) {
        return 42'424'242;
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
        return 4'242'424'242'424'242;
    } else if constexpr (std::is_same_v<T, float>) {
        return 42.25F;
    } else if constexpr (std::is_same_v<T, double>) {
        return 42.4242;
    } else if constexpr (std::is_same_v<T, Text>) {
        return u"Hello World";
    } else {
        return person(42);
    }
}

Text letters(SplitMix64& generator, std::size_t count) {
    Text text(count, u'A');
    for (auto& unit : text) {
        unit = static_cast<char16_t>(65 + generator.draw(26));
    }
    return text;
}

template <typename T>
T drawn(SplitMix64& generator) {
    if constexpr (std::is_same_v<T, bool>) {
        return (generator.next() & 1U) == 1;
    } else if constexpr (std::is_same_v<T, char16_t>) {
        return static_cast<char16_t>(65 + generator.draw(26));
    } else if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(generator.next() >> (64 - 8 * sizeof(T)));
    } else if constexpr (std::is_same_v<T, float>) {
        return static_cast<float>(generator.draw(1U << 24)) / 256.0F;
    } else if constexpr (std::is_same_v<T, double>) {
        return static_cast<double>(generator.next() >> 11) * 0x1p-53;
    } else if constexpr (std::is_same_v<T, Text>) {
        return letters(generator, 8);
    } else {
        return person(generator.draw(256));
    }
}

template <typename T>
Value made(bool array, Content content, std::size_t count) {
    SplitMix64 generator{content.seed};
    const auto one = [&] { return content.way == Content::Way::fixed ? fixed<T>() : drawn<T>(generator); };
    if (!array) {
        return one();
    }
    std::vector<T> all;
    all.reserve(count);
    for (std::size_t at = 0; at < count; ++at) {
        all.push_back(one());
    }
    return all;
}

/// The elements of a Value's first ten alternatives, called with the one at `place`.
template <std::size_t... Places>
Value made_of(std::size_t place, bool array, Content content, std::size_t count, std::index_sequence<Places...>) {
    Value value;
    (void)((place == Places && (value = made<std::variant_alternative_t<Places, Value>>(array, content, count), true)) || ...);
    return value;
}

} // namespace

std::optional<Fill> fill_named(std::u16string_view name) {
    if (name == u"article") {
        return Fill::article;
    }
    if (name == u"random") {
        return Fill::random;
    }
    if (name == u"zero") {
        return Fill::zero;
    }
    if (name == u"text") {
        return Fill::text;
    }
    return std::nullopt;
}

Octets binary(std::size_t size, Fill fill) {
    switch (fill) {
    case Fill::article:
        return article(size);
    case Fill::random:
        return random(size);
    case Fill::text:
        return words(size);
    case Fill::zero:
        break;
    }
    return Octets(size);
}

Person person(std::size_t index) {
    return {static_cast<std::int32_t>(index), ascii(FIRST_NAMES.at(index % 256)), ascii(LAST_NAMES.at(last_place(index)))};
}

std::vector<Person> persons(std::size_t n) {
    std::vector<Person> all;
    all.reserve(n);
    for (std::size_t index = 0; index < n; ++index) {
        all.push_back(person(index));
    }
    return all;
}

Structure structure(std::size_t n) {
    Structure made{u"The quick brown fox jumps over the lazy dog again.", {}, {}, {}};
    for (std::size_t i = 0; i < n; ++i) {
        made.numbers.push_back(static_cast<std::int32_t>(static_cast<std::uint32_t>(i) * 7919U));
        made.users.push_back(user(i));
        made.beans.push_back(bean(i));
    }
    return made;
}

Text string(Content content, std::size_t count) {
    SplitMix64 generator{content.seed};
    switch (content.way) {
    case Content::Way::random:
        return letters(generator, count);
    case Content::Way::bmp: {
        Text text(count, u' ');
        for (auto& unit : text) {
            const auto k = generator.draw(63454);
            unit = static_cast<char16_t>(k < 55264 ? 0x20 + k : 0xE000 + (k - 55264));
        }
        return text;
    }
    case Content::Way::fixed:
        break;
    }
    return Text(count, u'A');
}

std::optional<Value> value(std::size_t place, bool array, Content content, std::size_t count) {
    const bool is_string = TYPES.at(place) == "string" && !array;
    const bool is_chars = TYPES.at(place) == "char" && array;
    if (content.way == Content::Way::bmp && !is_string && !is_chars) {
        return std::nullopt;
    }
    if (is_string) {
        return string(content, count);
    }
    if (is_chars && content.way == Content::Way::bmp) {
        const auto text = string(content, count);
        return std::vector<char16_t>{text.begin(), text.end()};
    }
    return made_of(place, array, content, count, std::make_index_sequence<TYPES.size()>{});
}

} // namespace kit::generate
