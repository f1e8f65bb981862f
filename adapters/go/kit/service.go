package kit

import (
	"encoding/json"
	"sync"
	"time"
)

// delays are the delays that a server is asked to add, to test Callbench with known values.
type delays struct {
	DelayUs      float64 `json:"delay_us"`
	StallUs      float64 `json:"stall_us"`
	StallEveryUs float64 `json:"stall_every_us"`
	BurnUs       float64 `json:"burn_us"`
}

// Service counts and delays the calls of one server, and knows where answers come from that are not made here.
type Service struct {
	delays delays
	since  time.Time
	ask    func(call string, arguments any) (json.RawMessage, error)
	mutex  sync.Mutex
	counts map[string]int64
}

func microseconds(us float64) time.Duration { return time.Duration(us * 1000) }

// Called counts a call by its operation, and adds the requested delay.
func (s *Service) Called(operation string) {
	// Counted first, so that no client sees an answer that is not counted yet.
	s.mutex.Lock()
	s.counts[operation]++
	s.mutex.Unlock()
	time.Sleep(microseconds(s.delays.DelayUs))
	if every := microseconds(s.delays.StallEveryUs); every > 0 {
		// A call within a stall waits for its end, as if the server stood still.
		if left := every - time.Since(s.since)%every; left <= microseconds(s.delays.StallUs) {
			time.Sleep(left)
		}
	}
	if s.delays.BurnUs > 0 {
		for stop := nanotime() + int64(s.delays.BurnUs*1000); nanotime() < stop; {
		}
	}
}

// counted returns the counts since the last call.
func (s *Service) counted() map[string]int64 {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	counts := s.counts
	s.counts = map[string]int64{}
	return counts
}

// Ask requests the right answer of a call from the host, as a plain value. The error is the service's refusal.
func (s *Service) Ask(call string, arguments any) (json.RawMessage, error) {
	return s.ask(call, arguments)
}

// mostHeld is how many answers are held at least.
const mostHeld = 256

// Held is the answers to one call by its arguments, in the types of the library that sends them. The zero value is empty.
type Held[Arguments comparable, Answer any] struct {
	mutex sync.Mutex
	// Recently used answers, and older ones, which are dropped when there are as many new ones.
	young, old map[Arguments]*held[Answer]
}

type held[Answer any] struct {
	once   sync.Once
	answer Answer
	err    error
}

// Get looks the answer up. At the first use, it is requested from the host. The error is the service's refusal.
func (h *Held[Arguments, Answer]) Get(s *Service, call string, arguments Arguments) (Answer, error) {
	h.mutex.Lock()
	found := h.young[arguments]
	if found == nil {
		if h.young == nil || len(h.young) == mostHeld {
			h.old, h.young = h.young, map[Arguments]*held[Answer]{}
		}
		if found = h.old[arguments]; found == nil {
			found = &held[Answer]{}
		}
		h.young[arguments] = found
	}
	h.mutex.Unlock()
	found.once.Do(func() {
		var plain json.RawMessage
		if plain, found.err = s.ask(call, arguments); found.err == nil {
			found.answer, found.err = Plain[Answer](plain)
		}
	})
	return found.answer, found.err
}
