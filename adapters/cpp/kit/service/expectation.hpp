/// What the answer to a call must look like, as far as constant time shows: prepared once from the call, held against each answer.
#pragma once

#include "call.hpp"

namespace kit {

/// The members that a call does not use are empty. A stack compares them with its own types, so that checking costs no conversion.
struct Expectation {
    /// Works out the right answer, which may take long and much memory for a large one.
    explicit Expectation(const Call& call);

    /// The server must refuse: no answer is right.
    bool refusal = false;
    /// Sum.
    std::int32_t number = 0;
    /// GetPersons: how many, and the last one.
    std::size_t count = 0;
    Person last_person;
    /// GetBinaryData: the length is `count`.
    std::uint8_t first_byte = 0;
    std::uint8_t last_byte = 0;
    /// EchoStructure: the lists' lengths.
    std::size_t numbers = 0;
    std::size_t users = 0;
    std::size_t beans = 0;
    std::int32_t last_bean = 0;
    /// EchoString: the length in UTF-16 units is `count`.
    char16_t last_unit = 0;
    /// FindItems: how many is `count`.
    Text last_item;

    /// Whether an answer in the service's own types is right.
    [[nodiscard]] bool holds(const Call& call, const Answer& answer) const;
};

} // namespace kit
