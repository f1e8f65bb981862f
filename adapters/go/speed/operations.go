package speed

import "callbench.org/adapters/go/kit"

// Invoke is how a library calls: with a pointer to parameters, and one to where the result is to be.
type Invoke func(operation string, params, result any) error

// Prepare returns a caller for each client.
func Prepare(clients []Invoke, name string, payloads []kit.Payload) ([]kit.Caller, error) {
	operation, known := operations[name]
	if !known {
		return nil, kit.Failed(kit.BadRequest, "the service has no operation %.64q", name)
	}
	return operation.prepare(clients, name, payloads)
}

// Server answers, and caches the answers of the host.
type Server struct {
	service  *kit.Service
	persons  kit.Held[count, []Person]
	binaries kit.Held[binary, []byte]
	found    kit.Held[count, *SearchResponse]
}

// NewServer answers for a service.
func NewServer(service *kit.Service) *Server { return &Server{service: service} }

// Has says whether the operation exists.
func (s *Server) Has(name string) bool { _, has := operations[name]; return has }

// Answer reads the parameters of an operation and returns its result. If they cannot be read, it returns the error of read.
func (s *Server) Answer(name string, read func(params any) error) (any, error) {
	return operations[name].answer(s, name, read)
}

// operation is what both sides do.
type operation struct {
	prepare func(clients []Invoke, name string, payloads []kit.Payload) ([]kit.Caller, error)
	answer  func(s *Server, name string, read func(params any) error) (any, error)
}

// of creates an operation from the function that answers it, and the function that compares answers.
func of[Params, Result any](answer func(*Server, *Params) (Result, error), same func(one, other *Result, call int) bool) operation {
	return operation{
		prepare: func(clients []Invoke, name string, payloads []kit.Payload) ([]kit.Caller, error) {
			prepared := caller[Params, Result]{name: name, same: same}
			for _, payload := range payloads {
				params, err := kit.Plain[Params](payload.Arguments)
				if err != nil {
					return nil, err
				}
				right, err := rightOf[Result](payload)
				if err != nil {
					return nil, err
				}
				prepared.params, prepared.right = append(prepared.params, &params), append(prepared.right, right)
			}
			callers := make([]kit.Caller, len(clients))
			for i, invoke := range clients {
				one := prepared
				one.invoke, callers[i] = invoke, &one
			}
			return callers, nil
		},
		answer: func(s *Server, name string, read func(params any) error) (any, error) {
			params := new(Params)
			if err := read(params); err != nil {
				return nil, err
			}
			s.service.Called(name)
			return answer(s, params)
		},
	}
}

func rightOf[Result any](payload kit.Payload) (*Result, error) {
	if payload.Answer == nil {
		return nil, nil
	}
	right, err := kit.Plain[Result](payload.Answer)
	return &right, err
}

// caller is a client with an operation and its payloads.
type caller[Params, Result any] struct {
	invoke Invoke
	name   string
	params []*Params
	right  []*Result // nil where no answer is
	same   func(one, other *Result, call int) bool
	result *Result
}

func (c *caller[Params, Result]) Call(payload int) error {
	c.result = new(Result)
	return c.invoke(c.name, c.params[payload], c.result)
}

func (c *caller[Params, Result]) Right(payload, call int) bool {
	right := c.right[payload]
	return right != nil && c.same(c.result, right, call)
}

func (c *caller[Params, Result]) Answer() any { return *c.result }

type none struct{}

// nothing is null.
type nothing *struct{}

type value[T any] struct {
	Value T `json:"value"`
}

type addends struct {
	A int32 `json:"a"`
	B int32 `json:"b"`
}

type count struct {
	N int32 `json:"n"`
}

type binary struct {
	Size int32  `json:"size"`
	Fill string `json:"fill"`
}

type sent struct {
	Structure *Structure `json:"structure"`
}

func sameValue[T comparable](one, other *T, _ int) bool { return *one == *other }

func sameText(one, other *string, call int) bool { return kit.SameText(*one, *other, call) }

func sameOctets(one, other *[]byte, call int) bool { return kit.SameOctets(*one, *other, call) }

func samePersons(one, other *[]Person, call int) bool {
	return kit.SameList(*one, *other, call, kit.SameValue[Person])
}

func answerNothing[Params any](*Server, *Params) (nothing, error) { return nil, nil }

func send[T any]() operation { return of(answerNothing[value[T]], sameValue[nothing]) }

var operations = map[string]operation{
	"Empty": of(answerNothing[none], sameValue[nothing]),
	"Hello": of(func(*Server, *none) (string, error) { return "Hello World", nil }, sameText),
	"Sum":   of(func(_ *Server, its *addends) (int32, error) { return its.A + its.B, nil }, sameValue[int32]),
	"GetPersons": of(func(s *Server, its *count) ([]Person, error) {
		return s.persons.Get(s.service, "GetPersons", *its)
	}, samePersons),
	"GetBinaryData": of(func(s *Server, its *binary) ([]byte, error) {
		return s.binaries.Get(s.service, "GetBinaryData", *its)
	}, sameOctets),
	"FindItems": of(func(s *Server, its *count) (*SearchResponse, error) {
		return s.found.Get(s.service, "FindItems", *its)
	}, sameResponse),
	"EchoString":       of(func(_ *Server, its *value[string]) (string, error) { return its.Value, nil }, sameText),
	"EchoStructure":    of(func(_ *Server, its *sent) (*Structure, error) { return its.Structure, nil }, sameStructure),
	"SendBoolean":      send[bool](),
	"SendByte":         send[uint8](),
	"SendChar":         send[uint16](),
	"SendShort":        send[int16](),
	"SendInt":          send[int32](),
	"SendLong":         send[int64](),
	"SendFloat":        send[float32](),
	"SendDouble":       send[float64](),
	"SendString":       send[string](),
	"SendObject":       send[Person](),
	"SendBooleanArray": send[[]bool](),
	"SendByteArray":    send[[]byte](),
	"SendCharArray":    send[[]uint16](),
	"SendShortArray":   send[[]int16](),
	"SendIntArray":     send[[]int32](),
	"SendLongArray":    send[[]int64](),
	"SendFloatArray":   send[[]float32](),
	"SendDoubleArray":  send[[]float64](),
	"SendStringArray":  send[[]string](),
	"SendObjectArray":  send[[]Person](),
}
