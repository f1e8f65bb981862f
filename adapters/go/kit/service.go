package kit

import (
	"encoding/json"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// delays are the waits and the work that a server is told to make, so that the instrument can be tested against a known answer.
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
	counts sync.Map
	ask    func(call string, arguments any) (json.RawMessage, error)
}

func microseconds(us float64) time.Duration { return time.Duration(us * 1000) }

// Called counts a call by its operation, and takes as long as it was told to. A call within a stall waits for its end.
func (s *Service) Called(operation string) {
	if strings.HasPrefix(operation, "Send") {
		operation = "Send"
	}
	// Counted first, so that no client sees an answer that is not counted yet.
	count, known := s.counts.Load(operation)
	if !known {
		count, _ = s.counts.LoadOrStore(operation, new(atomic.Int64))
	}
	count.(*atomic.Int64).Add(1)
	if s.delays.DelayUs > 0 {
		time.Sleep(microseconds(s.delays.DelayUs))
	}
	if every := microseconds(s.delays.StallEveryUs); every > 0 {
		if left := every - time.Since(s.since)%every; left <= microseconds(s.delays.StallUs) {
			time.Sleep(left)
		}
	}
	if s.delays.BurnUs > 0 {
		for stop := nanotime() + int64(s.delays.BurnUs*1000); nanotime() < stop; {
		}
	}
}

// counted gives what was counted since last asked.
func (s *Service) counted() map[string]int64 {
	counts := map[string]int64{}
	s.counts.Range(func(call, count any) bool {
		if taken := count.(*atomic.Int64).Swap(0); taken > 0 {
			counts[call.(string)] = taken
		}
		return true
	})
	return counts
}

// mostHeld is how many answers are held at least.
const mostHeld = 256

// Held is the answers to one call by its arguments, in the types of the library that sends them. The zero value is empty.
type Held[Arguments comparable, Answer any] struct {
	mutex sync.RWMutex
	// Those asked for lately, and those before them, which go when there are as many new ones.
	young, old map[Arguments]*held[Answer]
}

type held[Answer any] struct {
	once   sync.Once
	answer Answer
	err    error
}

// Get looks the answer up; the first time it is asked for. The error is the service's refusal.
func (h *Held[Arguments, Answer]) Get(s *Service, call string, arguments Arguments) (Answer, error) {
	h.mutex.RLock()
	found, known := h.young[arguments]
	h.mutex.RUnlock()
	if !known {
		found = h.add(arguments)
	}
	found.once.Do(func() {
		var plain json.RawMessage
		if plain, found.err = s.ask(call, arguments); found.err == nil {
			found.answer, found.err = Plain[Answer](plain)
		}
	})
	return found.answer, found.err
}

func (h *Held[Arguments, Answer]) add(arguments Arguments) *held[Answer] {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if found, known := h.young[arguments]; known {
		return found
	}
	if h.young == nil || len(h.young) >= mostHeld {
		h.old, h.young = h.young, map[Arguments]*held[Answer]{}
	}
	found, known := h.old[arguments]
	if !known {
		found = &held[Answer]{}
	}
	h.young[arguments] = found
	return found
}
