package own

import (
	"encoding/binary"
	"encoding/json"
	"math"
)

// Key appends what identifies a value.
type Key[T any] func(key []byte, value *T) []byte

// KeyBool appends a truth.
func KeyBool(key []byte, value *bool) []byte {
	if *value {
		return append(key, 1)
	}
	return append(key, 0)
}

// KeyInt appends a number with a sign.
func KeyInt[T ~int32 | ~int64](key []byte, value *T) []byte {
	return binary.AppendVarint(key, int64(*value))
}

// KeyUint appends a number without a sign.
func KeyUint[T ~uint32 | ~uint64](key []byte, value *T) []byte {
	return binary.AppendUvarint(key, uint64(*value))
}

// KeyFloat appends the bits of a float.
func KeyFloat(key []byte, value *float32) []byte {
	return binary.LittleEndian.AppendUint32(key, math.Float32bits(*value))
}

// KeyDouble appends the bits of a double.
func KeyDouble(key []byte, value *float64) []byte {
	return binary.LittleEndian.AppendUint64(key, math.Float64bits(*value))
}

// KeyText appends a text.
func KeyText(key []byte, value *string) []byte {
	return append(binary.AppendUvarint(key, uint64(len(*value))), *value...)
}

// KeyTruth appends the key of a map that is true or false.
func KeyTruth(key []byte, value *Truth) []byte { return KeyBool(key, (*bool)(value)) }

// KeyOctets appends bytes.
func KeyOctets(key []byte, value *[]byte) []byte {
	return append(binary.AppendUvarint(key, uint64(len(*value))), *value...)
}

// KeyAny appends a value of no type.
func KeyAny(key []byte, value *any) []byte {
	// It came from JSON, so it can become JSON.
	text, _ := json.Marshal(*value)
	return KeyOctets(key, &text)
}

// KeyList appends a list.
func KeyList[T any](key []byte, list []T, of Key[T]) []byte {
	key = binary.AppendUvarint(key, uint64(len(list)))
	for i := range list {
		key = of(key, &list[i])
	}
	return key
}

// KeyOptional appends a value that may be absent.
func KeyOptional[T any](key []byte, value *T, of Key[T]) []byte {
	if value == nil {
		return append(key, 0)
	}
	return of(append(key, 1), value)
}

// KeyMap appends a map in the order of its keys.
func KeyMap[K comparable, V any](key []byte, entries map[K]V, less func(K, K) bool, ofKey Key[K], of Key[V]) []byte {
	key = binary.AppendUvarint(key, uint64(len(entries)))
	for _, name := range sortedKeys(entries, less) {
		value := entries[name]
		key = of(ofKey(key, &name), &value)
	}
	return key
}
