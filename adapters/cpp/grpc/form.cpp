#include "form.hpp"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/util/message_differencer.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <utility>

#include "../kit/base64.hpp"

namespace rpc {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Value;
using kit::Json;

/// A key of JSON: the name of its field, whether it is always there, and whether it is null where it has no value.
struct FieldForm {
    std::string key;
    std::string name;
    bool always;
    bool nullable;
};

/// A wrapped message stands for its only field.
struct MessageForm {
    bool wrapped;
    std::vector<FieldForm> fields;
};

struct Forms {
    std::map<std::string, MessageForm> messages;
    std::map<std::string, std::vector<std::pair<std::string, int>>> enumerations;
};

Forms& forms() {
    static Forms known;
    return known;
}

const MessageForm& form(const Message& of) { return forms().messages.at(of.GetDescriptor()->name()); }

kit::Failure unfit(const Json& item, const FieldDescriptor& field) {
    return {"cannot-carry", "the value " + item.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 64) + " of " + field.name() +
                                " is no " + field.type_name()};
}

template <typename T>
T integer(const Json& item, const FieldDescriptor& field) {
    if (item.is_number_unsigned() && std::in_range<T>(item.get<std::uint64_t>())) {
        return static_cast<T>(item.get<std::uint64_t>());
    }
    if (item.is_number_integer() && !item.is_number_unsigned() && std::in_range<T>(item.get<std::int64_t>())) {
        return static_cast<T>(item.get<std::int64_t>());
    }
    throw unfit(item, field);
}

double real(const Json& item, const FieldDescriptor& field) {
    if (!item.is_number()) {
        throw unfit(item, field);
    }
    return item.get<double>();
}

const std::string& text(const Json& item, const FieldDescriptor& field) {
    if (!item.is_string()) {
        throw unfit(item, field);
    }
    return item.get_ref<const std::string&>();
}

std::string octets(const std::string& encoded) {
    std::string held(kit::room_of_base64(encoded), '\0');
    held.resize(kit::from_base64(encoded, static_cast<std::uint8_t*>(static_cast<void*>(held.data()))));
    return held;
}

std::string base64(const std::string& held) {
    return kit::to_base64({static_cast<const std::uint8_t*>(static_cast<const void*>(held.data())), held.size()});
}

void fill_any(Value& into, const Json& tree) {
    if (tree.is_boolean()) {
        into.set_bool_value(tree.get<bool>());
    } else if (tree.is_number()) {
        into.set_number_value(tree.get<double>());
    } else if (tree.is_string()) {
        into.set_string_value(tree.get<std::string>());
    } else if (tree.is_array()) {
        auto& list = *into.mutable_list_value();
        for (const auto& item : tree) {
            fill_any(*list.add_values(), item);
        }
    } else if (tree.is_object()) {
        auto& fields = *into.mutable_struct_value()->mutable_fields();
        for (const auto& [key, item] : tree.items()) {
            fill_any(fields[key], item);
        }
    } else {
        into.set_null_value(google::protobuf::NULL_VALUE);
    }
}

/// Values of a field that is in a message once, or is added to it.
class Setter {
  public:
    Setter(Message& into, const FieldDescriptor& field) : into_(into), field_(field), how_(*into.GetReflection()) {}

    void set(const Json& item) {
        using Reflection = google::protobuf::Reflection;
        switch (field_.cpp_type()) {
        case FieldDescriptor::CPPTYPE_BOOL:
            if (!item.is_boolean()) {
                throw unfit(item, field_);
            }
            return put(&Reflection::SetBool, &Reflection::AddBool, item.get<bool>());
        case FieldDescriptor::CPPTYPE_INT32:
            return put(&Reflection::SetInt32, &Reflection::AddInt32, integer<std::int32_t>(item, field_));
        case FieldDescriptor::CPPTYPE_INT64:
            return put(&Reflection::SetInt64, &Reflection::AddInt64, integer<std::int64_t>(item, field_));
        case FieldDescriptor::CPPTYPE_UINT32:
            return put(&Reflection::SetUInt32, &Reflection::AddUInt32, integer<std::uint32_t>(item, field_));
        case FieldDescriptor::CPPTYPE_UINT64:
            return put(&Reflection::SetUInt64, &Reflection::AddUInt64, integer<std::uint64_t>(item, field_));
        case FieldDescriptor::CPPTYPE_FLOAT: {
            const auto value = static_cast<float>(real(item, field_));
            if (!std::isfinite(value)) {
                throw unfit(item, field_);
            }
            return put(&Reflection::SetFloat, &Reflection::AddFloat, value);
        }
        case FieldDescriptor::CPPTYPE_DOUBLE:
            return put(&Reflection::SetDouble, &Reflection::AddDouble, real(item, field_));
        case FieldDescriptor::CPPTYPE_ENUM:
            return put(&Reflection::SetEnumValue, &Reflection::AddEnumValue, number(item));
        case FieldDescriptor::CPPTYPE_STRING: {
            const auto& held = text(item, field_);
            return put(&Reflection::SetString, &Reflection::AddString, field_.type() == FieldDescriptor::TYPE_BYTES ? octets(held) : held);
        }
        case FieldDescriptor::CPPTYPE_MESSAGE:
            Form::read(item, field_.is_repeated() ? *how_.AddMessage(&into_, &field_) : *how_.MutableMessage(&into_, &field_));
        }
    }

    /// Adds an entry of a map.
    void entry(const std::string& key, const Json& item) {
        auto& made = *how_.AddMessage(&into_, &field_);
        const auto& field = *field_.message_type()->map_key();
        Setter{made, field}.set(field.cpp_type() == FieldDescriptor::CPPTYPE_STRING ? Json(key) : Json::parse(key));
        Setter{made, *field_.message_type()->map_value()}.set(item);
    }

  private:
    template <typename Once, typename Repeated, typename T>
    void put(Once once, Repeated repeated, T value) {
        (how_.*(field_.is_repeated() ? repeated : once))(&into_, &field_, std::move(value));
    }

    [[nodiscard]] int number(const Json& item) const {
        const auto& values = forms().enumerations.at(field_.enum_type()->name());
        const auto found = std::ranges::find(values, text(item, field_), &std::pair<std::string, int>::first);
        if (found == values.end()) {
            throw unfit(item, field_);
        }
        return found->second;
    }

    Message& into_;
    const FieldDescriptor& field_;
    const google::protobuf::Reflection& how_;
};

Json plain_any(const Value& from) {
    switch (from.kind_case()) {
    case Value::kBoolValue:
        return from.bool_value();
    case Value::kNumberValue:
        return from.number_value();
    case Value::kStringValue:
        return from.string_value();
    case Value::kListValue: {
        auto items = Json::array();
        for (const auto& item : from.list_value().values()) {
            items.push_back(plain_any(item));
        }
        return items;
    }
    case Value::kStructValue: {
        auto members = Json::object();
        for (const auto& [key, item] : from.struct_value().fields()) {
            members[key] = plain_any(item);
        }
        return members;
    }
    case Value::kNullValue:
    case Value::KIND_NOT_SET:
        break;
    }
    return nullptr;
}

/// The shortest number that gives the same value again.
double shortest(float value) {
    std::array<char, 32> written{};
    const auto end = std::to_chars(written.data(), written.data() + written.size(), value).ptr;
    double read = 0;
    std::from_chars(written.data(), end, read);
    return read;
}

/// A value of a field that is in a message once, or the one at a place of a repeated field.
class Getter {
  public:
    Getter(const Message& from, const FieldDescriptor& field) : from_(from), field_(field), how_(*from.GetReflection()) {}

    [[nodiscard]] Json whole() const {
        if (!field_.is_repeated()) {
            return one(0);
        }
        auto items = field_.is_map() ? Json::object() : Json::array();
        for (int at = 0; at < how_.FieldSize(from_, &field_); ++at) {
            if (field_.is_map()) {
                const auto& entry = how_.GetRepeatedMessage(from_, &field_, at);
                const auto key = Getter{entry, *field_.message_type()->map_key()}.whole();
                items[key.is_string() ? key.get<std::string>() : key.dump()] = Getter{entry, *field_.message_type()->map_value()}.whole();
            } else {
                items.push_back(one(at));
            }
        }
        return items;
    }

  private:
    [[nodiscard]] Json one(int at) const {
        using Reflection = google::protobuf::Reflection;
        switch (field_.cpp_type()) {
        case FieldDescriptor::CPPTYPE_BOOL:
            return get(&Reflection::GetBool, &Reflection::GetRepeatedBool, at);
        case FieldDescriptor::CPPTYPE_INT32:
            return get(&Reflection::GetInt32, &Reflection::GetRepeatedInt32, at);
        case FieldDescriptor::CPPTYPE_INT64:
            return get(&Reflection::GetInt64, &Reflection::GetRepeatedInt64, at);
        case FieldDescriptor::CPPTYPE_UINT32:
            return get(&Reflection::GetUInt32, &Reflection::GetRepeatedUInt32, at);
        case FieldDescriptor::CPPTYPE_UINT64:
            return get(&Reflection::GetUInt64, &Reflection::GetRepeatedUInt64, at);
        case FieldDescriptor::CPPTYPE_FLOAT:
            return shortest(get(&Reflection::GetFloat, &Reflection::GetRepeatedFloat, at));
        case FieldDescriptor::CPPTYPE_DOUBLE:
            return get(&Reflection::GetDouble, &Reflection::GetRepeatedDouble, at);
        case FieldDescriptor::CPPTYPE_ENUM:
            return name(get(&Reflection::GetEnumValue, &Reflection::GetRepeatedEnumValue, at));
        case FieldDescriptor::CPPTYPE_STRING: {
            auto held = get(&Reflection::GetString, &Reflection::GetRepeatedString, at);
            return field_.type() == FieldDescriptor::TYPE_BYTES ? base64(held) : std::move(held);
        }
        case FieldDescriptor::CPPTYPE_MESSAGE:
            break;
        }
        return Form::plain(field_.is_repeated() ? how_.GetRepeatedMessage(from_, &field_, at) : how_.GetMessage(from_, &field_));
    }

    template <typename T>
    T get(T (google::protobuf::Reflection::*once)(const Message&, const FieldDescriptor*) const,
          T (google::protobuf::Reflection::*repeated)(const Message&, const FieldDescriptor*, int) const, int at) const {
        return field_.is_repeated() ? (how_.*repeated)(from_, &field_, at) : (how_.*once)(from_, &field_);
    }

    /// A number that has no name stays a number.
    [[nodiscard]] Json name(int number) const {
        const auto& values = forms().enumerations.at(field_.enum_type()->name());
        const auto found = std::ranges::find(values, number, &std::pair<std::string, int>::second);
        return found == values.end() ? Json(number) : Json(found->first);
    }

    const Message& from_;
    const FieldDescriptor& field_;
    const google::protobuf::Reflection& how_;
};

FieldForm field_form(const Json& said) {
    const auto shape = said.at("shape").get<std::string>();
    const bool alone = shape != "many" && shape != "map";
    const bool optional = alone && (shape == "optional" || !said.at("oneof").get_ref<const std::string&>().empty());
    return {said.at("key"), said.at("name"), !optional, said.at("nullable")};
}

} // namespace

void describe(const char* description) {
    const auto said = Json::parse(description);
    for (const auto& [name, message] : said.at("messages").items()) {
        auto& made = forms().messages[name];
        made.wrapped = message.at("wrapped");
        std::ranges::transform(message.at("fields"), std::back_inserter(made.fields), field_form);
    }
    forms().enumerations = said.at("enumerations");
}

void Form::read(const Json& tree, Message& into) {
    if (auto* any = dynamic_cast<Value*>(&into)) {
        fill_any(*any, tree);
        return;
    }
    static const Json NOTHING;
    const auto& form = rpc::form(into);
    for (const auto& how : form.fields) {
        const auto& field = *into.GetDescriptor()->FindFieldByName(how.name);
        const auto found = tree.is_object() ? tree.find(how.key) : tree.end();
        const auto& member = form.wrapped ? tree : found == tree.end() ? NOTHING : *found;
        Setter setter{into, field};
        if (field.is_map()) {
            for (const auto& [key, item] : member.items()) {
                setter.entry(key, item);
            }
        } else if (field.is_repeated()) {
            std::ranges::for_each(member, [&](const Json& item) { setter.set(item); });
        } else if (!member.is_null() || (how.always && field.message_type() != nullptr)) {
            setter.set(member);
        }
    }
}

Json Form::plain(const Message& from) {
    if (const auto* any = dynamic_cast<const Value*>(&from)) {
        return plain_any(*any);
    }
    const auto& form = rpc::form(from);
    auto members = Json::object();
    for (const auto& how : form.fields) {
        const auto& field = *from.GetDescriptor()->FindFieldByName(how.name);
        const bool there = how.always || !field.has_presence() || from.GetReflection()->HasField(from, &field);
        auto value = there ? Getter{from, field}.whole() : Json{};
        if (form.wrapped) {
            return value;
        }
        if (there || how.nullable) {
            members[how.key] = std::move(value);
        }
    }
    return members;
}

void Form::key(const Message& of, std::string& key) {
    google::protobuf::io::StringOutputStream stream{&key};
    google::protobuf::io::CodedOutputStream coded{&stream};
    coded.SetSerializationDeterministic(true);
    of.SerializeToCodedStream(&coded);
}

} // namespace rpc

namespace own {

bool same(const google::protobuf::Value& right, const google::protobuf::Value& found, Turn& /*turn*/) {
    return google::protobuf::util::MessageDifferencer::Equals(right, found);
}

} // namespace own
