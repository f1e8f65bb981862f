package kit

import (
	"math"
	"sync/atomic"
)

const (
	mostErrorsInARow = 100
	// The first calls determine how the others are timed. Short calls are timed in batches of about this time, with at most this number of
	// calls.
	firstCalls       = 16
	shortestReadings = 20
	batchNs          = 100_000
	longestBatch     = 4096
	// A longer wait for an arrival is cut into pieces, to see whether the drive is still wanted.
	longestWaitNs = 100_000_000
	// The interval at which a client reports its progress: an atomic store takes a quarter of a clock reading.
	showEveryNs = 100_000
)

// loopTask is one client of a drive. contract/LOOP.md says what it does.
type loopTask struct {
	*drive
	clock  clock
	caller Caller
	place  int64
	// trace, if set, receives the two readings of each call.
	trace func(started, ended int64)

	payload, made int   // the next payload of the rotation, and how many calls were made
	held          int64 // drawn from the pool and not made
	errorsInRow   int
	left          int64 // when the last call or think time ended
	stats
	showAt int64
	shown  [2]atomic.Int64 // right calls and errors, for the intervals
}

func (t *loopTask) run() {
	t.ended = waitUntil(t.clock, t.start, startSpinNs)
	t.gap, t.left = t.ended-t.start, t.ended
	if t.arrivals != nil {
		t.open()
	} else {
		t.closed()
	}
	t.pool.left.Add(t.held)
	t.gaveUp = t.errorsInRow >= mostErrorsInARow
}

func (t *loopTask) closed() {
	if t.RampUpNs > 0 {
		begun := waitUntil(t.clock, least(t.start+t.RampUpNs*t.place/t.Clients, t.limit), t.SpinNs)
		t.gap += most(0, begun-t.left)
		t.ended, t.left = begun, begun
	} else if t.ThinkNs > 0 {
		// The first think times are spread, so that the clients do not call at the same time.
		t.think(least(t.start+t.ThinkNs*(2*t.place+1)/(2*t.Clients), t.limit))
	}
	if t.Timing == "each" || t.ThinkNs > 0 {
		t.rounds(math.MaxInt64, 1)
	} else if t.rounds(firstCalls, 1) {
		// All clients use the number that the first one found.
		t.batch.CompareAndSwap(0, t.callsABatch())
		t.rounds(math.MaxInt64, t.batch.Load())
	}
}

// callsABatch is 1 where each call is to be timed.
func (t *loopTask) callsABatch() int64 {
	median, known := t.latency.median()
	if !known || t.Timing == "auto" && float64(median) >= shortestReadings*t.Reading {
		return 1
	}
	size := batchNs / math.Max(1, float64(median)-t.Reading)
	return most(1, least(int64(size), longestBatch))
}

// rounds makes at most this many batches, with a think time after each. It returns false if the drive is over for this client.
func (t *loopTask) rounds(rounds, batch int64) bool {
	for ; rounds > 0; rounds-- {
		calls := t.admit(t.left, batch)
		if calls == 0 {
			return false
		}
		due := t.left
		started, right := t.timed(due, calls)
		t.gap += started - due
		if right > 0 && batch == 1 {
			t.latency.record(t.ended - started)
		}
		if t.ThinkNs > 0 {
			t.think(t.ended + t.ThinkNs)
		}
	}
	return true
}

// timed makes calls between two readings of the clock. It returns the first reading and the number of correct answers, and leaves the
// second in ended.
func (t *loopTask) timed(due, calls int64) (started, right int64) {
	before := t.calls
	started = t.clock.now()
	var failure error
	for rest := calls - 1; rest >= 0; rest-- {
		failure = t.caller.Call(t.payload)
		if t.BurnNs > 0 {
			t.burn()
		}
		// In a batch, answers can only be checked here.
		if calls > 1 && !t.check(failure) && t.leaves(started) {
			t.held += rest
			break
		}
	}
	ended := t.clock.now()
	t.inCall += ended - started
	t.ended, t.left = ended, ended
	if calls == 1 {
		t.check(failure)
	}
	right = t.calls - before
	if ended > t.end {
		t.late.add(t.drive, due, started, ended, right)
	}
	if t.trace != nil {
		t.trace(started, ended)
	}
	if ended >= t.showAt {
		t.shown[0].Store(t.calls)
		t.shown[1].Store(t.errorCount)
		t.showAt = ended + showEveryNs
	}
	return started, right
}

// check compares and counts an answer; whether it was right. The next call takes the next payload.
func (t *loopTask) check(failure error) bool {
	payload, made := t.payload, t.made
	t.made++
	if t.payload++; t.payload == t.payloads {
		t.payload = 0
	}
	if failure == nil && t.caller.Right(payload, made) {
		t.calls++
		t.errorsInRow = 0
		return true
	}
	t.countError(failure)
	t.errorsInRow++
	return false
}

// burn makes a call longer by keeping the processor busy.
func (t *loopTask) burn() {
	for stop := t.clock.now() + t.BurnNs; t.clock.now() < stop; {
	}
}

// think waits from the time left on. A think time ends early if no call is left after it.
func (t *loopTask) think(until int64) {
	last := t.limit
	if t.held == 0 && t.pool.left.Load() == 0 {
		last = most(t.end, t.left)
	}
	thought := waitUntil(t.clock, least(until, last), t.SpinNs)
	t.thinking += most(0, thought-t.left)
	t.left = thought
}

// open takes the next arrival whenever idle, and waits until it is due.
func (t *loopTask) open() {
	idleSince := t.left
	for {
		intended, some := t.arrivals.take(t.drive)
		if !some {
			return
		}
		now := t.clock.now()
		for now < intended && !t.leaves(now) {
			now = waitUntil(t.clock, least(least(intended, now+longestWaitNs), t.limit), t.SpinNs)
		}
		if t.leaves(now) {
			return
		}
		if started, right := t.timed(intended, 1); right > 0 {
			t.latency.record(t.ended - intended)
			t.service.record(t.ended - started)
			// Waiting for a free client is caused by the server. Only the delay after both a client and an arrival are available is caused by the
			// generator.
			t.lateness.record(started - most(intended, idleSince))
		}
		idleSince = t.clock.now()
	}
}

// admit returns how many calls may begin now, at most wanted; 0: the client is done.
func (t *loopTask) admit(now, wanted int64) int64 {
	if t.held == 0 {
		t.held = t.pool.draw(wanted)
	}
	switch {
	case t.leaves(now) || t.held == 0 && now >= t.end:
		return 0
	case t.held == 0: // All calls have been drawn: on until the time is over.
		return wanted
	}
	admitted := least(t.held, wanted)
	t.held -= admitted
	return admitted
}

func (t *loopTask) leaves(now int64) bool {
	return now >= t.limit || t.errorsInRow >= mostErrorsInARow
}

func least(one, other int64) int64 {
	if one < other {
		return one
	}
	return other
}

func most(one, other int64) int64 {
	if one > other {
		return one
	}
	return other
}
