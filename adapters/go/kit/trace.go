package kit

import "math"

// trace is a golden trace: a drive by one client with a scripted clock and a scripted stack, which contract/LOOP.md describes.
type trace struct {
	Plan struct {
		plan
		Place int64   `json:"place"`
		Start int64   `json:"start"`
		Gaps  []int64 `json:"gaps"`
	} `json:"plan"`
	Script script `json:"script"`
}

// script is both: each reading and each call take time of it.
type script struct {
	Now        int64 `json:"clock_start_ns"`
	Reading    int64 `json:"reading_takes_ns"`
	Oversleeps int64 `json:"oversleeps_ns"`
	Calls      []struct {
		Takes  int64 `json:"takes_ns"`
		Answer Kind  `json:"answer"`
	} `json:"calls"`
	answer Kind
}

func (s *script) now() int64 {
	s.Now += s.Reading
	return s.Now - s.Reading
}

func (s *script) sleepUntil(ns int64) { s.Now = most(s.Now, ns+s.Oversleeps) }

func (s *script) Call(number int) error {
	call := s.Calls[number]
	s.Now += call.Takes
	if s.answer = call.Answer; call.Answer != "right" && call.Answer != "wrong" {
		return &Failure{Kind: call.Answer}
	}
	return nil
}

func (s *script) Right(int, int) bool { return s.answer == "right" }

func (s *script) Answer() any { return nil }

func (t *trace) play() answer {
	made := [][2]int64{}
	d := newDrive(t.Plan.plan, t.Plan.Start, len(t.Script.Calls), t.Plan.Gaps)
	task := newTask(d, &t.Script, &t.Script, t.Plan.Place)
	task.showAt = math.MaxInt64
	task.trace = func(started, ended int64) {
		if len(made) < 1000 {
			made = append(made, [2]int64{started, ended})
		}
	}
	task.run()
	return answer{"is": "traced", "done": d.done([]*loopTask{task}), "made": made}
}
