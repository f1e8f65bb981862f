// Command callbench-go is the adapter of Go: REST servers that the load driver calls.
package main

import (
	"fmt"
	"os"
	"runtime"
	"time"
)

const version = "0.1.0"

func main() {
	if err := run(); err != nil {
		fmt.Fprintf(os.Stderr, "callbench: the adapter cannot speak to the core: %v\n", err)
		os.Exit(1)
	}
}

func run() error {
	out, err := keepStdout()
	if err != nil {
		return err
	}
	conversation := &conversation{
		out:    out,
		stacks: map[string]serve{"go/nethttp": serveNetHTTP},
	}
	return conversation.hold(hello{
		Is:        "hello",
		Contract:  1,
		Adapter:   "go",
		Language:  "go",
		Version:   version,
		Runtime:   runtime.Version(),
		Libraries: map[string]string{"net/http": runtime.Version()},
		Clock:     clock{Name: "CLOCK_MONOTONIC", ResolutionNs: 1, ReadingNs: readingNs()},
		Features:  []string{"burn", "heap"},
		Stacks:    []string{"go/nethttp"},
	})
}

// readingNs is what one reading of the clock takes.
func readingNs() float64 {
	const readings = 100_000
	began := time.Now()
	var last time.Duration
	for i := 0; i < readings; i++ {
		last = time.Since(began)
	}
	return float64(last.Nanoseconds()) / readings
}
