package own

import (
	"reflect"
	"sort"
	"sync"

	"callbench.org/adapters/go/kit"
)

// Turn says which elements of what is long are looked at.
type Turn struct {
	call int
	// The keys of right maps in order, by the map: a map of Go has no last element.
	keys *sync.Map
}

func newTurn() Turn { return Turn{keys: &sync.Map{}} }

// Place is the element to look at, of so many.
func (t *Turn) Place(length int) int { return t.call % length }

// Once makes something for a part of a right answer, which stays the same.
func (t *Turn) Once(of any, make func() any) any {
	if made, there := t.keys.Load(of); there {
		return made
	}
	made := make()
	t.keys.Store(of, made)
	return made
}

// Same says whether the found value is the right one, as far as constant time allows to see.
type Same[T any] func(right, found *T, turn *Turn) bool

// SameValue compares what Go can compare.
func SameValue[T comparable](right, found *T, _ *Turn) bool { return *right == *found }

// SameText compares a long text by its length, its last character and one other.
func SameText(right, found *string, turn *Turn) bool { return kit.SameText(*right, *found, turn.call) }

// SameOctets compares lengths, and the first, the last and one other byte.
func SameOctets(right, found *[]byte, turn *Turn) bool {
	return kit.SameOctets(*right, *found, turn.call)
}

// SameAny compares values of no type. They are as long as their sender likes, so they are compared as a whole.
func SameAny(right, found *any, _ *Turn) bool { return reflect.DeepEqual(*right, *found) }

// SameList compares lengths, the last and one other element.
func SameList[T any](right, found []T, turn *Turn, same Same[T]) bool {
	last := len(right) - 1
	if last < 0 || len(right) != len(found) {
		return len(right) == len(found)
	}
	place := turn.Place(len(right))
	return same(&right[last], &found[last], turn) && same(&right[place], &found[place], turn)
}

// SameOptional compares two values that may be absent.
func SameOptional[T any](right, found *T, turn *Turn, same Same[T]) bool {
	if right == nil || found == nil {
		return right == found
	}
	return same(right, found, turn)
}

// SameMap compares lengths, and the values of the last and of one other key.
func SameMap[K comparable, V any](right, found map[K]V, turn *Turn, less func(K, K) bool, same Same[V]) bool {
	if len(right) == 0 || len(right) != len(found) {
		return len(right) == len(found)
	}
	keys := keysOf(right, turn, less)
	for _, key := range [2]K{keys[len(keys)-1], keys[turn.Place(len(keys))]} {
		one := right[key]
		if other, there := found[key]; !there || !same(&one, &other, turn) {
			return false
		}
	}
	return true
}

// ordered is the keys of a map, and the map itself, so that no other one takes its address.
type ordered[K comparable, V any] struct {
	keys []K
	of   map[K]V
}

func keysOf[K comparable, V any](of map[K]V, turn *Turn, less func(K, K) bool) []K {
	made := turn.Once(reflect.ValueOf(of).Pointer(), func() any { return &ordered[K, V]{sortedKeys(of, less), of} })
	return made.(*ordered[K, V]).keys
}

func sortedKeys[K comparable, V any](of map[K]V, less func(K, K) bool) []K {
	keys := make([]K, 0, len(of))
	for key := range of {
		keys = append(keys, key)
	}
	sort.Slice(keys, func(one, other int) bool { return less(keys[one], keys[other]) })
	return keys
}

// Less is the order of keys.
func Less[K ~string | ~int32 | ~int64 | ~uint32 | ~uint64](one, other K) bool { return one < other }

// LessTruth is the order of keys that are true or false.
func LessTruth(one, other Truth) bool { return !bool(one) && bool(other) }
