package kit

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
)

// Plain turns a plain value into a type that encoding/json knows.
func Plain[T any](plain json.RawMessage) (T, error) {
	var value T
	var tree any
	decoder := json.NewDecoder(bytes.NewReader(plain))
	decoder.UseNumber()
	err := decoder.Decode(&tree)
	if err == nil {
		var text []byte
		if text, err = json.Marshal(numbers(tree, reflect.TypeOf(value))); err == nil {
			err = json.Unmarshal(text, &value)
		}
	}
	if err != nil {
		return value, Failed(CannotCarry, "the value cannot be held here: %v", err)
	}
	return value, nil
}

// numbers makes numbers of strings where the type has numbers: long ones come as decimal strings, and so does -0.
func numbers(plain any, as reflect.Type) any {
	if as.Kind() == reflect.Pointer {
		as = as.Elem()
	}
	switch value := plain.(type) {
	case string:
		if as.Kind() >= reflect.Int && as.Kind() <= reflect.Float64 {
			return json.Number(value)
		}
	case []any:
		for i := range value {
			value[i] = numbers(value[i], as.Elem())
		}
	case map[string]any:
		for i := 0; as.Kind() == reflect.Struct && i < as.NumField(); i++ {
			name, _, _ := strings.Cut(as.Field(i).Tag.Get("json"), ",")
			if member, there := value[name]; there {
				value[name] = numbers(member, as.Field(i).Type)
			}
		}
	}
	return plain
}

// The check of an answer compares every element of a list after some time, and the last one always. A call's number is counted from 0.

// SameList compares the lengths, the last elements and those at the call's number.
func SameList[T any](one, other []T, call int, same func(*T, *T) bool) bool {
	last := len(one) - 1
	return len(one) == len(other) && (last < 0 || same(&one[last], &other[last]) && same(&one[call%len(one)], &other[call%len(one)]))
}

// SameValue compares what Go can compare.
func SameValue[T comparable](one, other *T) bool { return *one == *other }

// SameText compares a long text by its length, its last character and that at the call's number.
func SameText(one, other string, call int) bool {
	last := len(one) - 1
	if len(one) != len(other) || last < 64 {
		return one == other
	}
	return one[last] == other[last] && one[call%len(one)] == other[call%len(one)]
}

// SameOctets compares the lengths, the first and last bytes and those at the call's number.
func SameOctets(one, other []byte, call int) bool {
	return SameList(one, other, call, SameValue[byte]) && (len(one) == 0 || one[0] == other[0])
}
