package kit

import (
	"encoding/binary"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

const interval = 100 * time.Millisecond

// plan is what a loop is given, by the names of contract/LOOP.md.
type plan struct {
	Clients  int64   `json:"clients"`
	LengthNs int64   `json:"length_ns"`
	LimitNs  int64   `json:"limit_ns"`
	Calls    int64   `json:"calls"`
	ThinkNs  int64   `json:"think_ns"`
	RampUpNs int64   `json:"ramp_up_ns"`
	Timing   string  `json:"timing"`
	BurnNs   int64   `json:"burn_ns"`
	Reading  float64 `json:"reading_ns"`
	SpinNs   int64   `json:"spin_ns"`
}

// drive is what all clients of a drive share.
type drive struct {
	plan
	start, end, limit int64
	payloads          int
	pool              pool
	arrivals          *arrivals
	batch             atomic.Int64 // calls a batch; 0 until it is decided
}

func newDrive(plan plan, start int64, payloads int, gaps []int64) *drive {
	d := &drive{plan: plan, payloads: payloads}
	d.pool.left.Store(plan.Calls)
	d.pool.portion = least(256, most(1, plan.Calls/plan.Clients/16))
	if gaps != nil {
		d.arrivals = &arrivals{gaps: gaps}
	}
	d.startAt(start)
	return d
}

func (d *drive) startAt(ns int64) {
	d.start, d.end, d.limit = ns, ns+least(d.LengthNs, d.LimitNs), ns+d.LimitNs
}

func newTask(d *drive, clock clock, caller Caller, place int64) *loopTask {
	made := &loopTask{drive: d, clock: clock, caller: caller, place: place}
	made.errors, made.errorMessages, made.latency = map[Kind]int64{}, map[Kind]string{}, &histogram{}
	if d.arrivals != nil {
		made.service, made.lateness = &histogram{}, &histogram{}
	}
	return made
}

// pool is the calls still to be made, from which clients draw in portions.
type pool struct {
	left    atomic.Int64
	portion int64
}

func (p *pool) draw(wanted int64) int64 {
	for {
		left := p.left.Load()
		drawn := least(left, most(wanted, p.portion))
		if drawn == 0 || p.left.CompareAndSwap(left, left-drawn) {
			return drawn
		}
	}
}

// arrivals is the one queue of an open loop.
type arrivals struct {
	mutex     sync.Mutex
	gaps      []int64
	taken, at int64
}

// take returns when the next arrival is intended; false if there are no more.
func (a *arrivals) take(d *drive) (int64, bool) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	at := a.at + a.gaps[a.taken%int64(len(a.gaps))]
	if a.taken >= d.Calls && at >= d.LengthNs {
		return 0, false
	}
	a.taken, a.at = a.taken+1, at
	return d.start + at, true
}

// readGaps reads a schedule of the contract, if there is one.
func readGaps(path string) ([]int64, error) {
	if path == "" {
		return nil, nil
	}
	content, err := os.ReadFile(path)
	if err != nil || len(content) == 0 || len(content)%8 != 0 {
		return nil, Failed(BadRequest, "the schedule %s must be gaps of 8 bytes each, one at least: it has %d bytes (%v)", path, len(content), err)
	}
	gaps := make([]int64, len(content)/8)
	for i := range gaps {
		gaps[i] = int64(binary.LittleEndian.Uint64(content[8*i:]))
	}
	return gaps, nil
}

// run starts all clients together, reports their progress, and returns their statistics.
func (d *drive) run(callers []Caller, startAtNs int64, tell func(atNs, calls, errors int64)) (answer, error) {
	tasks := make([]*loopTask, len(callers))
	for place, caller := range callers {
		clock, err := newMachineClock()
		if err != nil {
			return nil, Failed(OutOfResources, "client %d of %d has no timer: %v", place+1, len(callers), err)
		}
		defer clock.timer.Close()
		tasks[place] = newTask(d, clock, caller, int64(place))
	}
	var awake sync.WaitGroup
	begin, ended := make(chan struct{}), make(chan struct{}, len(tasks))
	awake.Add(len(tasks))
	for _, task := range tasks {
		go func(task *loopTask) {
			awake.Done()
			<-begin
			task.run()
			ended <- struct{}{}
		}(task)
	}
	awake.Wait()
	before := usedProcessor()
	d.startAt(most(startAtNs, nanotime()+100_000+10_000*d.Clients))
	close(begin)
	d.watch(tasks, ended, tell)
	done := d.done(tasks)
	done["processor"] = map[string]any{"start": before, "end": usedProcessor()}
	done["threads"] = len(tasks)
	return done, nil
}

// watch reports the progress ten times a second, and once when the time is over.
func (d *drive) watch(tasks []*loopTask, ended <-chan struct{}, tell func(atNs, calls, errors int64)) {
	tick, over := time.NewTicker(interval), time.NewTimer(time.Duration(d.end-nanotime()))
	defer tick.Stop()
	defer over.Stop()
	for running := len(tasks); running > 0; {
		select {
		case <-ended:
			running--
			continue
		case <-tick.C:
		case <-over.C:
			if d.LengthNs == 0 {
				continue
			}
		}
		calls, errors := int64(0), int64(0)
		for _, task := range tasks {
			calls, errors = calls+task.shown[0].Load(), errors+task.shown[1].Load()
		}
		tell(most(0, nanotime()-d.start), calls, errors)
	}
}
