package main

import (
	"os"
	"runtime"
	"strconv"
	"syscall"
)

// keepStdout gives the real stdout, and points descriptor 1 at stderr, since libraries print.
func keepStdout() (*os.File, error) {
	kept, err := syscall.Dup(1)
	if err != nil {
		return nil, err
	}
	syscall.CloseOnExec(kept)
	if err := syscall.Dup3(2, 1, 0); err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(kept), "stdout"), nil
}

// cpu is CPU of the contract: nanoseconds as decimal strings.
type cpu struct {
	UserNs   string `json:"user_ns"`
	SystemNs string `json:"system_ns"`
}

// usedProcessor is what the process has used since it began, all its threads together.
func usedProcessor() (cpu, error) {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return cpu{}, err
	}
	ns := func(t syscall.Timeval) string { return strconv.FormatInt(t.Nano(), 10) }
	return cpu{ns(used.Utime), ns(used.Stime)}, nil
}

// usedHeap is what is reachable on the heap, in bytes.
func usedHeap() uint64 {
	// Twice: what has a finalizer goes with the second collection only.
	runtime.GC()
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return memory.HeapAlloc
}
