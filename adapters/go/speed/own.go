package speed

import (
	"callbench.org/adapters/go/kit"
	"callbench.org/adapters/go/own"
)

// Own adds a call of a service of the user's own. It must be added before anything is served or called.
func Own[Request, Answer any](call *own.Call[*own.Params[Request], *Answer]) {
	answers := own.Answers[*own.Params[Request], *Answer]{Call: call}
	operations[call.Name] = operation{
		prepare: func(clients []Invoke, name string, payloads []kit.Payload) ([]kit.Caller, error) {
			calls := make([]own.Invoke[*own.Params[Request], *Answer], len(clients))
			for i := range clients {
				invoke := clients[i]
				calls[i] = func(params *own.Params[Request]) (*Answer, error) {
					answer := new(Answer)
					return answer, invoke(name, params, answer)
				}
			}
			return call.Prepare(calls, payloads)
		},
		answer: func(s *Server, _ string, read func(params any) error) (any, error) {
			params := new(own.Params[Request])
			if err := read(params); err != nil {
				return nil, err
			}
			return answers.Of(s.service, params)
		},
	}
}
