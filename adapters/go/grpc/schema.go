package grpc

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/structpb"
)

// Schema is what the user's JSON is like where protobuf does not say so: by the names of messages and enumerations.
type Schema struct {
	Messages     map[protoreflect.Name]Message
	Enumerations map[protoreflect.Name][]Value
}

// Message is the JSON of a message. A wrapped one stands for its only field.
type Message struct {
	Wrapped bool
	Fields  []Field
}

// Field is a key of JSON: the number of its field, whether it is always there, and whether it is null where it has no value.
type Field struct {
	Number   protoreflect.FieldNumber
	Key      string
	Always   bool
	Nullable bool
}

// Value is a value of an enumeration.
type Value struct {
	Text   string
	Number protoreflect.EnumNumber
}

const anyValue = protoreflect.FullName("google.protobuf.Value")

// read makes a message of its JSON.
func (s *Schema) read(plain json.RawMessage, into protoreflect.Message) error {
	decoder := json.NewDecoder(bytes.NewReader(plain))
	decoder.UseNumber()
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		return err
	}
	return s.fill(into, tree)
}

func (s *Schema) fill(into protoreflect.Message, tree any) error {
	kind := into.Descriptor()
	if kind.FullName() == anyValue {
		value, err := structpb.NewValue(withDoubles(tree))
		if err == nil {
			proto.Merge(into.Interface(), value)
		}
		return err
	}
	message := s.Messages[kind.Name()]
	members, _ := tree.(map[string]any)
	for _, field := range message.Fields {
		member := members[field.Key]
		if message.Wrapped {
			member = tree
		}
		if err := s.fillField(into, kind.Fields().ByNumber(field.Number), field, member); err != nil {
			return fmt.Errorf("%s: %w", field.Key, err)
		}
	}
	return nil
}

func (s *Schema) fillField(into protoreflect.Message, field protoreflect.FieldDescriptor, how Field, member any) error {
	switch {
	case field.IsList():
		list := into.Mutable(field).List()
		items, _ := member.([]any)
		for _, item := range items {
			value, err := s.value(field, list.NewElement, item)
			if err != nil {
				return err
			}
			list.Append(value)
		}
	case field.IsMap():
		entries := into.Mutable(field).Map()
		items, _ := member.(map[string]any)
		for text, item := range items {
			key, err := mapKey(field.MapKey(), text)
			if err != nil {
				return err
			}
			value, err := s.value(field.MapValue(), entries.NewValue, item)
			if err != nil {
				return err
			}
			entries.Set(key, value)
		}
	case member != nil || how.Always && field.Message() != nil:
		value, err := s.value(field, func() protoreflect.Value { return into.NewField(field) }, member)
		if err != nil {
			return err
		}
		into.Set(field, value)
	}
	return nil
}

// value makes one value of a field. New is an empty one.
func (s *Schema) value(field protoreflect.FieldDescriptor, empty func() protoreflect.Value, item any) (protoreflect.Value, error) {
	switch it := item.(type) {
	case bool:
		if field.Kind() == protoreflect.BoolKind {
			return protoreflect.ValueOfBool(it), nil
		}
	case string:
		switch field.Kind() {
		case protoreflect.StringKind:
			return protoreflect.ValueOfString(it), nil
		case protoreflect.BytesKind:
			octets, err := base64.StdEncoding.DecodeString(it)
			return protoreflect.ValueOfBytes(octets), err
		case protoreflect.EnumKind:
			for _, value := range s.Enumerations[field.Enum().Name()] {
				if value.Text == it {
					return protoreflect.ValueOfEnum(value.Number), nil
				}
			}
		}
	case json.Number:
		if value, err := number(field.Kind(), it.String()); value.IsValid() {
			return value, err
		}
	}
	if field.Message() != nil {
		made := empty()
		return made, s.fill(made.Message(), item)
	}
	return protoreflect.Value{}, fmt.Errorf("%v is no %s", item, field.Kind())
}

// number is a number of a kind. It is not valid if the kind has no numbers.
func number(kind protoreflect.Kind, text string) (protoreflect.Value, error) {
	switch kind {
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		value, err := strconv.ParseInt(text, 10, 32)
		return protoreflect.ValueOfInt32(int32(value)), err
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		value, err := strconv.ParseInt(text, 10, 64)
		return protoreflect.ValueOfInt64(value), err
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		value, err := strconv.ParseUint(text, 10, 32)
		return protoreflect.ValueOfUint32(uint32(value)), err
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		value, err := strconv.ParseUint(text, 10, 64)
		return protoreflect.ValueOfUint64(value), err
	case protoreflect.FloatKind:
		value, err := strconv.ParseFloat(text, 32)
		return protoreflect.ValueOfFloat32(float32(value)), err
	case protoreflect.DoubleKind:
		value, err := strconv.ParseFloat(text, 64)
		return protoreflect.ValueOfFloat64(value), err
	}
	return protoreflect.Value{}, nil
}

func mapKey(field protoreflect.FieldDescriptor, text string) (protoreflect.MapKey, error) {
	switch field.Kind() {
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(text).MapKey(), nil
	case protoreflect.BoolKind:
		truth, err := strconv.ParseBool(text)
		return protoreflect.ValueOfBool(truth).MapKey(), err
	}
	value, err := number(field.Kind(), text)
	return value.MapKey(), err
}

// withDoubles has the numbers that a value of no type has.
func withDoubles(tree any) any {
	switch it := tree.(type) {
	case json.Number:
		value, _ := it.Float64()
		return value
	case []any:
		for i := range it {
			it[i] = withDoubles(it[i])
		}
	case map[string]any:
		for key := range it {
			it[key] = withDoubles(it[key])
		}
	}
	return tree
}

// plain is the JSON of a message, as encoding/json takes it.
func (s *Schema) plain(from protoreflect.Message) any {
	kind := from.Descriptor()
	if kind.FullName() == anyValue {
		value := &structpb.Value{}
		proto.Merge(value, from.Interface())
		return value.AsInterface()
	}
	message := s.Messages[kind.Name()]
	members := map[string]any{}
	for _, how := range message.Fields {
		field := kind.Fields().ByNumber(how.Number)
		there := how.Always || !field.HasPresence() || from.Has(field)
		if message.Wrapped {
			if there {
				return s.plainField(field, from.Get(field))
			}
			return nil
		}
		if there {
			members[how.Key] = s.plainField(field, from.Get(field))
		} else if how.Nullable {
			members[how.Key] = nil
		}
	}
	return members
}

func (s *Schema) plainField(field protoreflect.FieldDescriptor, value protoreflect.Value) any {
	switch {
	case field.IsList():
		items := make([]any, value.List().Len())
		for i := range items {
			items[i] = s.plainValue(field, value.List().Get(i))
		}
		return items
	case field.IsMap():
		items := map[string]any{}
		value.Map().Range(func(key protoreflect.MapKey, value protoreflect.Value) bool {
			items[key.String()] = s.plainValue(field.MapValue(), value)
			return true
		})
		return items
	}
	return s.plainValue(field, value)
}

func (s *Schema) plainValue(field protoreflect.FieldDescriptor, value protoreflect.Value) any {
	switch {
	case field.Message() != nil:
		return s.plain(value.Message())
	case field.Kind() == protoreflect.EnumKind:
		for _, one := range s.Enumerations[field.Enum().Name()] {
			if one.Number == value.Enum() {
				return one.Text
			}
		}
		return int32(value.Enum())
	case field.Kind() == protoreflect.BytesKind:
		return base64.StdEncoding.EncodeToString(value.Bytes())
	}
	return value.Interface()
}
