package kit

import (
	"os"
	"syscall"
	"unsafe"
)

const (
	// The last part of a wait is spent reading the clock. A timerfd wakes a goroutine some 28 us late here, however long the wait; time.Sleep
	// 600, as the runtime polls by the millisecond. Nobody is answered on a processor that spins, since the runtime polls the network only when
	// it has nothing to run: four clients on one processor, 79 us between arrivals, were 135 us in a call from the intended start (median)
	// without spinning, 116 with 20 us of it, and 2,800 with 60.
	arrivalSpinNs = 20_000
	// A think time may end a little late, because its actual length is measured.
	thinkSpinNs = 5_000
	startSpinNs = 30_000
)

// clock is what the loop reads and sleeps by: the machine's, or that of a golden trace.
type clock interface {
	now() int64
	sleepUntil(ns int64)
}

// nanotime is CLOCK_MONOTONIC in nanoseconds without a system call: 22 ns here, 200 with one. The package time only gives it relative to
// an unknown start.
//
//go:linkname nanotime runtime.nanotime
func nanotime() int64

// readingNs is what one reading takes.
func readingNs() float64 {
	const readings = 100_000
	began, last := nanotime(), int64(0)
	for i := 0; i < readings; i++ {
		last = nanotime()
	}
	return float64(last-began) / readings
}

// machineClock sleeps with a timer that the runtime polls like a connection, so that no thread is blocked.
type machineClock struct {
	timer      *os.File
	descriptor uintptr
	expired    [8]byte
}

const monotonic, absolute = 1, 1

func newMachineClock() (*machineClock, error) {
	descriptor, _, failed := syscall.Syscall(syscall.SYS_TIMERFD_CREATE, monotonic, syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if failed != 0 {
		return nil, os.NewSyscallError("timerfd_create", failed)
	}
	return &machineClock{timer: os.NewFile(descriptor, "timer"), descriptor: descriptor}, nil
}

func (c *machineClock) now() int64 { return nanotime() }

// sleepUntil returns early if the timer fails. The caller reads the clock and sleeps again.
func (c *machineClock) sleepUntil(ns int64) {
	periodAndEnd := [2]syscall.Timespec{1: syscall.NsecToTimespec(ns)}
	_, _, failed := syscall.Syscall6(syscall.SYS_TIMERFD_SETTIME, c.descriptor, absolute, uintptr(unsafe.Pointer(&periodAndEnd)), 0, 0, 0)
	if failed == 0 {
		_, _ = c.timer.Read(c.expired[:])
	}
}

// waitUntil sleeps except for the last spinNs, and returns the reading that ended the wait.
func waitUntil(c clock, ns, spinNs int64) int64 {
	for {
		now := c.now()
		if now >= ns {
			return now
		}
		if now < ns-spinNs {
			c.sleepUntil(ns - spinNs)
		}
	}
}
