// Package own carries the calls of a service of the user's own, in the types of any library.
package own

import (
	"encoding/json"

	"callbench.org/adapters/go/kit"
)

// Form is what is done with a request or an answer besides sending it.
type Form[T any] struct {
	// Read makes one of a plain value: of the arguments of a call, or of an answer.
	Read func(plain json.RawMessage) (T, error)
	// Plain is the way back.
	Plain func(value T) (any, error)
	// Same compares an answer with the right one in constant time.
	Same func(right, found T, turn *Turn) bool
	// Key appends what identifies a request: all of it.
	Key func(key []byte, value T) []byte
}

// Call is one call of the service.
type Call[Request, Answer any] struct {
	Name    string
	Request Form[Request]
	Answer  Form[Answer]
}

// Invoke is how a client of a library makes the call.
type Invoke[Request, Answer any] func(request Request) (Answer, error)

// Prepare returns a caller for each client.
func (c *Call[Request, Answer]) Prepare(clients []Invoke[Request, Answer], payloads []kit.Payload) ([]kit.Caller, error) {
	prepared := caller[Request, Answer]{call: c, turn: newTurn()}
	for _, payload := range payloads {
		request, err := c.Request.Read(payload.Arguments)
		if err != nil {
			return nil, cannotHold(err)
		}
		expected := right[Answer]{there: payload.Answer != nil}
		if expected.there {
			if expected.answer, err = c.Answer.Read(payload.Answer); err != nil {
				return nil, cannotHold(err)
			}
		}
		prepared.requests, prepared.right = append(prepared.requests, request), append(prepared.right, expected)
	}
	callers := make([]kit.Caller, len(clients))
	for i, invoke := range clients {
		one := prepared
		one.invoke, callers[i] = invoke, &one
	}
	return callers, nil
}

func cannotHold(err error) error {
	return kit.Failed(kit.CannotCarry, "the value cannot be held here: %v", err)
}

// right is a right answer. There is none if the service refuses the call.
type right[Answer any] struct {
	answer Answer
	there  bool
}

// caller is a client with its requests.
type caller[Request, Answer any] struct {
	call     *Call[Request, Answer]
	invoke   Invoke[Request, Answer]
	requests []Request
	right    []right[Answer]
	answer   Answer
	turn     Turn
}

func (c *caller[Request, Answer]) Call(payload int) (err error) {
	c.answer, err = c.invoke(c.requests[payload])
	return err
}

func (c *caller[Request, Answer]) Right(payload, call int) bool {
	expected := &c.right[payload]
	c.turn.call = call
	return expected.there && c.call.Answer.Same(expected.answer, c.answer, &c.turn)
}

func (c *caller[Request, Answer]) Answer() any {
	plain, err := c.call.Answer.Plain(c.answer)
	if err != nil {
		// The host says that this is no answer.
		return err.Error()
	}
	return plain
}
