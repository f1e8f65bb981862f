package kit

import (
	"math/rand"
	"os"
	"sort"
	"strconv"
	"syscall"
	"testing"
)

// emptyStack answers immediately and correctly.
type emptyStack struct{}

func (emptyStack) Call(int) error      { return nil }
func (emptyStack) Right(int, int) bool { return true }
func (emptyStack) Answer() any         { return nil }

const costCalls = 20_000

// bareNs is what two readings of the clock take, a call.
func bareNs() float64 {
	began, sum := nanotime(), int64(0)
	for i := 0; i < costCalls; i++ {
		started := nanotime()
		sum += nanotime() - started
	}
	if sum == 0 {
		panic("the clock stands still")
	}
	return float64(nanotime()-began) / costCalls
}

// drivenNs is what the loop takes around an empty stack, a call, from the common start on: the start itself is not made for each call.
func drivenNs(t testing.TB) float64 {
	task := emptyTask(t, plan{Timing: "each"}, costCalls)
	task.startAt(nanotime())
	task.run()
	if task.calls != costCalls {
		t.Fatalf("%d calls were right", task.calls)
	}
	return float64(task.ended-task.start) / costCalls
}

func emptyTask(t testing.TB, of plan, calls int64) *loopTask {
	of.Clients, of.Calls, of.LimitNs = 1, calls, 60e9
	clock, err := newMachineClock()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = clock.timer.Close() })
	return newTask(newDrive(of, 0, 1, nil), clock, emptyStack{}, 0)
}

// BenchmarkKit prints what the kit adds to two readings of its clock: each iteration is a pair of slices, in an order that is drawn.
// bench/go_kit.py runs it.
func BenchmarkKit(b *testing.B) {
	var bare, driven, ratios []float64
	for i := 0; i < b.N; i++ {
		var one, other float64
		if rand.Intn(2) == 0 {
			one, other = bareNs(), drivenNs(b)
		} else {
			other = drivenNs(b)
			one = bareNs()
		}
		bare, driven, ratios = append(bare, one), append(driven, other), append(ratios, other/one)
	}
	b.ReportMetric(median(bare), "bare-ns/call")
	b.ReportMetric(median(driven), "driven-ns/call")
	b.ReportMetric(median(ratios), "ratio")
	b.ReportMetric(allocated(b, plan{Timing: "each"}, costCalls), "allocations/drive")
}

func median(values []float64) float64 {
	sort.Float64s(values)
	return values[len(values)/2]
}

// allocated is how many allocations the loop of one client makes.
func allocated(t testing.TB, of plan, calls int64) float64 {
	task := emptyTask(t, of, calls)
	return testing.AllocsPerRun(5, func() {
		task.calls = 0
		task.pool.left.Store(calls)
		task.startAt(nanotime())
		task.run()
		if task.calls < calls {
			t.Fatalf("%d calls were made", task.calls)
		}
	})
}

// A loop that allocates would make the collector a part of what it measures.
func TestTheLoopAllocatesNothing(t *testing.T) {
	for name, of := range map[string]plan{"each": {Timing: "each"}, "batches": {Timing: "batch"}, "thoughts": {ThinkNs: 1000}} {
		// The runtime makes one now and then.
		if made := allocated(t, of, 2000); made > 20 {
			t.Errorf("%s: 2,000 calls made %v allocations", name, made)
		}
	}
}

func usedNs() int64 {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return used.Utime.Nano() + used.Stime.Nano()
}

// BenchmarkBareTimer prints how late a goroutine wakes up that waits as the loop does and does nothing else. CALLBENCH_GAP_NS is the time
// between two wake-ups. bench/go_kit.py runs it.
func BenchmarkBareTimer(b *testing.B) {
	gap, err := strconv.ParseInt(os.Getenv("CALLBENCH_GAP_NS"), 10, 64)
	if err != nil {
		b.Skip("CALLBENCH_GAP_NS says how far the moments lie apart")
	}
	clock, err := newMachineClock()
	if err != nil {
		b.Fatal(err)
	}
	defer clock.timer.Close()
	late := make([]int64, b.N)
	used, start := usedNs(), nanotime()
	for i := range late {
		due, idle := start+int64(i+1)*gap, nanotime()
		// As in the loop: from the later of the moment that was due and the moment it was idle.
		late[i] = waitUntil(clock, due, arrivalSpinNs) - most(due, idle)
	}
	sort.Slice(late, func(i, j int) bool { return late[i] < late[j] })
	b.ReportMetric(float64(late[len(late)/2]), "p50-ns")
	b.ReportMetric(float64(late[len(late)*99/100]), "p99-ns")
	b.ReportMetric(float64(usedNs()-used), "used-ns")
}
