package own

import (
	"encoding/json"
	"fmt"
)

// Params is how JSON-RPC sends the request of a call of the user's own.
type Params[Request any] struct {
	Request Request `json:"request"`
}

// JSONOf is a call in types of encoding/json, of which the generator has written what is done with them.
func JSONOf[Request, Answer any](
	name string, key Key[Request], fillRequest func(*Request), same Same[Answer], fillAnswer func(*Answer),
) *Call[*Params[Request], *Answer] {
	return &Call[*Params[Request], *Answer]{
		Name: name,
		Request: Form[*Params[Request]]{
			Read: read[Params[Request]],
			Plain: func(params *Params[Request]) (any, error) {
				fillRequest(&params.Request)
				return params, nil
			},
			Key: func(text []byte, params *Params[Request]) []byte { return key(text, &params.Request) },
		},
		Answer: Form[*Answer]{
			Read: read[Answer],
			Plain: func(answer *Answer) (any, error) {
				fillAnswer(answer)
				return answer, nil
			},
			Same: func(right, found *Answer, turn *Turn) bool { return same(right, found, turn) },
		},
	}
}

func read[T any](plain json.RawMessage) (*T, error) {
	value := new(T)
	return value, json.Unmarshal(plain, value)
}

// Truth is a key of a map that is true or false: encoding/json has no such keys.
type Truth bool

// MarshalText writes it.
func (t Truth) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%t", bool(t)), nil }

// UnmarshalText reads it.
func (t *Truth) UnmarshalText(text []byte) error { return json.Unmarshal(text, (*bool)(t)) }

// Names are the values of an enumeration, as JSON has them.
type Names[T ~int32] struct {
	names   map[T]string
	numbers map[string]T
}

// Name is one of them.
type Name[T ~int32] struct {
	Number T
	Text   string
}

// NamesOf is an enumeration. Of two names with one number, the first is written.
func NamesOf[T ~int32](all ...Name[T]) *Names[T] {
	made := &Names[T]{map[T]string{}, map[string]T{}}
	for _, one := range all {
		if _, there := made.names[one.Number]; !there {
			made.names[one.Number] = one.Text
		}
		made.numbers[one.Text] = one.Number
	}
	return made
}

// Text writes a value.
func (n *Names[T]) Text(number T) ([]byte, error) {
	name, there := n.names[number]
	if !there {
		return nil, fmt.Errorf("the enumeration %T has no value %d", number, number)
	}
	return []byte(name), nil
}

// Read reads a value.
func (n *Names[T]) Read(text []byte, into *T) error {
	number, there := n.numbers[string(text)]
	if !there {
		return fmt.Errorf("the enumeration %T has no value %.64q", *into, text)
	}
	*into = number
	return nil
}

// FillList makes a list of none: encoding/json writes null for it.
func FillList[T any](list *[]T, fill func(*T)) {
	if *list == nil {
		*list = []T{}
	}
	for i := 0; fill != nil && i < len(*list); i++ {
		fill(&(*list)[i])
	}
}

// FillMap makes a map of none.
func FillMap[K comparable, V any](entries *map[K]V, fill func(*V)) {
	if *entries == nil {
		*entries = map[K]V{}
	}
	if fill == nil {
		return
	}
	for key, value := range *entries {
		fill(&value)
		(*entries)[key] = value
	}
}

// FillOptional leaves out what is absent.
func FillOptional[T any](value *T, fill func(*T)) {
	if value != nil && fill != nil {
		fill(value)
	}
}

// FillOctets makes bytes of none.
func FillOctets(octets *[]byte) { FillList(octets, nil) }
