package own

import (
	"sync"

	"callbench.org/adapters/go/kit"
)

// mostHeld is how many answers of a call are held at least: more than there are pairs of one service, so that none is asked for twice.
const mostHeld = 1 << 16

// keys are buffers for the keys of requests.
var keys = sync.Pool{New: func() any { return new([]byte) }}

// Answers is the server's side of a call: it has the answers of the host in the types of the library.
type Answers[Request, Answer any] struct {
	Call  *Call[Request, Answer]
	mutex sync.RWMutex
	// Recent answers, and older ones, which are dropped when there are as many new ones.
	young, old map[string]*held[Answer]
}

type held[Answer any] struct {
	once   sync.Once
	answer Answer
	err    error
}

// Of answers a request: by a look-up of the whole request, the first time by the host. The error is the service's refusal.
func (a *Answers[Request, Answer]) Of(service *kit.Service, request Request) (Answer, error) {
	service.Called(a.Call.Name)
	buffer := keys.Get().(*[]byte)
	*buffer = a.Call.Request.Key((*buffer)[:0], request)
	found := a.find(*buffer)
	keys.Put(buffer)
	found.once.Do(func() {
		arguments, err := a.Call.Request.Plain(request)
		if err != nil {
			found.err = kit.Failed(kit.CannotCarry, "%v", err)
			return
		}
		plain, err := service.Ask(a.Call.Name, arguments)
		if err == nil {
			found.answer, err = a.Call.Answer.Read(plain)
		}
		found.err = err
	})
	return found.answer, found.err
}

func (a *Answers[Request, Answer]) find(key []byte) *held[Answer] {
	a.mutex.RLock()
	found := a.young[string(key)]
	a.mutex.RUnlock()
	if found != nil {
		return found
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if found = a.young[string(key)]; found != nil {
		return found
	}
	if a.young == nil || len(a.young) == mostHeld {
		a.old, a.young = a.young, map[string]*held[Answer]{}
	}
	if found = a.old[string(key)]; found == nil {
		found = &held[Answer]{}
	}
	a.young[string(key)] = found
	return found
}
