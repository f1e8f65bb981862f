package kit

import (
	"math"
	"strconv"
)

// stats is what one client counts; merged, what all do.
type stats struct {
	calls, errorCount int64
	errors            map[Kind]int64
	errorMessages     map[Kind]string
	// In an open loop latency begins when the call was intended; only there the other two are.
	latency, service, lateness *histogram
	inCall, thinking, gap      int64
	ended                      int64
	late                       late
	gaveUp                     bool
}

func (s *stats) countError(err error) {
	failure := failureOf(err)
	s.errorCount++
	if s.errors[failure.Kind]++; s.errors[failure.Kind] == 1 {
		s.errorMessages[failure.Kind] = failure.Message
	}
}

// late is the calls that ended after the time was over, and of them those that ended after the limit.
type late struct {
	DueLater bool     `json:"due_later"`
	Time     overtime `json:"time"`
	Limit    overtime `json:"limit"`
}

// overtime is the right answers after a moment, the calls that were under way then, and the parts of their time before it.
type overtime struct {
	After  int64   `json:"after"`
	Flying int64   `json:"flying"`
	Part   float64 `json:"part"`
}

func (l *late) add(d *drive, due, started, ended, right int64) {
	if due >= d.end {
		l.DueLater = true
	} else {
		l.Time.add(d.end, started, ended, right)
	}
	if ended > d.limit {
		l.Limit.add(d.limit, started, ended, right)
	}
}

func (o *overtime) add(moment, started, ended, right int64) {
	o.After += right
	if started < moment {
		whole, fraction := math.Modf(float64(right) * float64(moment-started) / float64(ended-started))
		o.After -= int64(whole)
		o.Part += fraction
		o.Flying++
	}
}

func (o *overtime) merge(other overtime) {
	o.After, o.Flying, o.Part = o.After+other.After, o.Flying+other.Flying, o.Part+other.Part
}

// done is the answer to a drive, without processor time.
func (d *drive) done(tasks []*loopTask) answer {
	sum := &newTask(d, nil, nil, 0).stats
	sum.gaveUp = true
	for _, task := range tasks {
		sum.ended = most(sum.ended, task.ended)
	}
	for _, task := range tasks {
		sum.merge(&task.stats)
		// Clients that were done earlier were idle, and think time after the end does not count.
		sum.gap += most(0, sum.ended-task.left)
		sum.thinking -= most(0, task.left-sum.ended)
	}
	done := answer{
		"is": "done", "calls": sum.calls, "errors": sum.errors, "error_messages": sum.errorMessages, "elapsed_ns": most(1, sum.ended-d.start),
		"batch": most(1, d.batch.Load()), "latency": sum.latency, "service": sum.service, "lateness": sum.lateness,
		"in_call_ns": decimal(sum.inCall), "think_ns": decimal(sum.thinking), "gap_ns": decimal(sum.gap),
		"late": sum.late, "gave_up": sum.gaveUp,
	}
	if d.batch.Load() > 1 {
		done["latency"] = nil
	}
	if d.arrivals != nil {
		done["gap_ns"] = nil
	}
	return done
}

func (s *stats) merge(other *stats) {
	for kind, count := range other.errors {
		s.errors[kind], s.errorMessages[kind] = s.errors[kind]+count, other.errorMessages[kind]
	}
	s.latency.merge(other.latency)
	if s.service != nil {
		s.service.merge(other.service)
		s.lateness.merge(other.lateness)
	}
	s.calls, s.inCall, s.thinking, s.gap = s.calls+other.calls, s.inCall+other.inCall, s.thinking+other.thinking, s.gap+other.gap
	s.late.DueLater = s.late.DueLater || other.late.DueLater
	s.late.Time.merge(other.late.Time)
	s.late.Limit.merge(other.late.Limit)
	s.gaveUp = s.gaveUp && other.gaveUp
}

func decimal(ns int64) string { return strconv.FormatInt(ns, 10) }
