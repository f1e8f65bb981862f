package main

import (
	"fmt"
	"math"
	"time"
)

const (
	longestUs     = 3_600_000_000
	longestBurnUs = 1_000_000
)

// slowness is the waits and the work that a service is told to make, so that the instrument can be tested against a known answer.
type slowness struct {
	delay, stall, every, burn time.Duration
	since                     time.Time
}

// slownessOf reads the options of serve, which are in microseconds.
func slownessOf(options map[string]any) (slowness, error) {
	made := slowness{since: time.Now()}
	known := []struct {
		name  string
		most  float64
		whole bool
		into  *time.Duration
	}{
		{"delay_us", longestUs, true, &made.delay},
		{"stall_us", longestUs, true, &made.stall},
		{"stall_every_us", longestUs, true, &made.every},
		{"burn_us", longestBurnUs, false, &made.burn},
	}
	understood := 0
	for _, option := range known {
		value, given := options[option.name]
		if !given {
			continue
		}
		understood++
		number, isNumber := value.(float64)
		if !isNumber || number < 0 || number > option.most || option.whole && number != math.Trunc(number) {
			return made, fmt.Errorf("%s is %v: it must be a number of microseconds from 0 to %.0f, whole but for burn_us", option.name, value, option.most)
		}
		*option.into = time.Duration(math.Round(number * 1000))
	}
	_, stall := options["stall_us"]
	_, every := options["stall_every_us"]
	switch {
	case understood < len(options):
		return made, fmt.Errorf("there is an option that is not known: there are delay_us, stall_us, stall_every_us and burn_us")
	case stall != every:
		return made, fmt.Errorf("stall_us and stall_every_us must be given together")
	case made.stall > 0 && made.stall >= made.every:
		return made, fmt.Errorf("stall_us must be less than stall_every_us")
	}
	return made, nil
}

// take waits and works as long as was asked. A call within a stall waits for its end, as if the server really stood still.
func (s *slowness) take() {
	if s.delay > 0 {
		time.Sleep(s.delay)
	}
	if s.stall > 0 {
		if left := s.every - time.Since(s.since)%s.every; left <= s.stall {
			time.Sleep(left)
		}
	}
	if s.burn > 0 {
		for began := time.Now(); time.Since(began) < s.burn; {
		}
	}
}
