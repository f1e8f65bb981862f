/// Messages of protobuf, and the user's JSON of them. Nothing here is in a call, but the key of a request.
#pragma once

#include <google/protobuf/message.h>
#include <google/protobuf/struct.pb.h>

#include "../kit/stack.hpp"
#include "../own/same.hpp"

namespace rpc {

/// Says what the user's JSON is like where protobuf does not say so: a JSON object with `messages` and `enumerations`, by the names in the
/// generated code. To be called once, first.
void describe(const char* description);

/// What is done with a message besides sending it.
struct Form {
    /// Makes a message of its JSON. Throws Failure, of kind cannot-carry.
    static void read(const kit::Json& tree, google::protobuf::Message& into);
    /// The way back.
    static kit::Json plain(const google::protobuf::Message& from);
    /// Appends the message itself, in protobuf's deterministic order.
    static void key(const google::protobuf::Message& of, std::string& key);
};

} // namespace rpc

namespace own {

/// Any JSON value is compared as a whole.
bool same(const google::protobuf::Value& right, const google::protobuf::Value& found, Turn& turn);

} // namespace own
