package grpc

import (
	"encoding/json"
	"fmt"
	"sort"

	"callbench.org/adapters/go/own"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// CallOf is a call in the types that protoc-gen-go has generated.
func CallOf[Request, Answer proto.Message](name string, schema *Schema) *own.Call[Request, Answer] {
	return &own.Call[Request, Answer]{
		Name: name,
		Request: own.Form[Request]{
			Read: func(plain json.RawMessage) (Request, error) {
				var arguments struct {
					Request json.RawMessage `json:"request"`
				}
				request := empty[Request]()
				if err := json.Unmarshal(plain, &arguments); err != nil {
					return request, err
				}
				return request, schema.read(arguments.Request, request.ProtoReflect())
			},
			Plain: func(request Request) (any, error) {
				return map[string]any{"request": schema.plain(request.ProtoReflect())}, nil
			},
			Key: key[Request],
		},
		Answer: own.Form[Answer]{
			Read: func(plain json.RawMessage) (Answer, error) {
				answer := empty[Answer]()
				return answer, schema.read(plain, answer.ProtoReflect())
			},
			Plain: func(answer Answer) (any, error) { return schema.plain(answer.ProtoReflect()), nil },
			Same: func(right, found Answer, turn *own.Turn) bool {
				return same(right.ProtoReflect(), found.ProtoReflect(), turn)
			},
		},
	}
}

func empty[T proto.Message]() T {
	var none T
	return none.ProtoReflect().New().Interface().(T)
}

// key is the message itself in protobuf's canonical order.
func key[T proto.Message](bytes []byte, value T) []byte {
	made, err := proto.MarshalOptions{Deterministic: true}.MarshalAppend(bytes, value)
	if err != nil {
		// It has come over the wire, or from JSON: both are checked.
		panic(fmt.Sprintf("a message cannot be written: %v", err))
	}
	return made
}

// same compares every field of a message, and of what is long some elements.
func same(right, found protoreflect.Message, turn *own.Turn) bool {
	if right.Descriptor().FullName() == anyValue {
		return proto.Equal(right.Interface(), found.Interface())
	}
	fields := right.Descriptor().Fields()
	for i := range fields.Len() {
		if !sameField(fields.Get(i), right, found, turn) {
			return false
		}
	}
	return true
}

func sameField(field protoreflect.FieldDescriptor, right, found protoreflect.Message, turn *own.Turn) bool {
	if field.HasPresence() && !right.Has(field) {
		return !found.Has(field)
	}
	if field.HasPresence() && !found.Has(field) {
		return false
	}
	one, other := right.Get(field), found.Get(field)
	switch {
	case field.IsList():
		return sameList(field, one.List(), other.List(), turn)
	case field.IsMap():
		return sameMap(field, right, one.Map(), other.Map(), turn)
	}
	return sameValue(field, one, other, turn)
}

func sameList(field protoreflect.FieldDescriptor, right, found protoreflect.List, turn *own.Turn) bool {
	length := right.Len()
	if length == 0 || length != found.Len() {
		return length == found.Len()
	}
	for _, place := range [2]int{length - 1, turn.Place(length)} {
		if !sameValue(field, right.Get(place), found.Get(place), turn) {
			return false
		}
	}
	return true
}

// ofMap names the field of a right message whose keys are held in order.
type ofMap struct {
	message proto.Message
	number  protoreflect.FieldNumber
}

func sameMap(field protoreflect.FieldDescriptor, of protoreflect.Message, right, found protoreflect.Map, turn *own.Turn) bool {
	if right.Len() == 0 || right.Len() != found.Len() {
		return right.Len() == found.Len()
	}
	keys := turn.Once(ofMap{of.Interface(), field.Number()}, func() any { return sorted(right) }).([]protoreflect.MapKey)
	for _, place := range [2]int{len(keys) - 1, turn.Place(len(keys))} {
		if !found.Has(keys[place]) || !sameValue(field.MapValue(), right.Get(keys[place]), found.Get(keys[place]), turn) {
			return false
		}
	}
	return true
}

func sorted(of protoreflect.Map) []protoreflect.MapKey {
	keys := make([]protoreflect.MapKey, 0, of.Len())
	of.Range(func(key protoreflect.MapKey, _ protoreflect.Value) bool {
		keys = append(keys, key)
		return true
	})
	sort.Slice(keys, func(i, j int) bool {
		switch one := keys[i].Interface().(type) {
		case bool:
			return !one && keys[j].Bool()
		case string:
			return one < keys[j].String()
		case int32, int64:
			return keys[i].Int() < keys[j].Int()
		}
		return keys[i].Uint() < keys[j].Uint()
	})
	return keys
}

func sameValue(field protoreflect.FieldDescriptor, right, found protoreflect.Value, turn *own.Turn) bool {
	switch field.Kind() {
	case protoreflect.MessageKind:
		return same(right.Message(), found.Message(), turn)
	case protoreflect.StringKind:
		one, other := right.String(), found.String()
		return own.SameText(&one, &other, turn)
	case protoreflect.BytesKind:
		one, other := right.Bytes(), found.Bytes()
		return own.SameOctets(&one, &other, turn)
	}
	return right.Equal(found)
}
