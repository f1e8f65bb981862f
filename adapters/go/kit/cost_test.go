package kit

import (
	"math/rand"
	"os"
	"sort"
	"strconv"
	"syscall"
	"testing"
)

// emptyStack answers at once and rightly.
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

// drivenNs is what the loop takes around an empty stack, a call.
func drivenNs(t testing.TB) float64 {
	d := newDrive(plan{Clients: 1, Calls: costCalls, LimitNs: 60e9, Timing: "each", SpinNs: thinkSpinNs}, 0, 1, nil)
	said, err := d.run([]Caller{emptyStack{}}, 0, func(int64, int64, int64) {})
	if err != nil || said["calls"] != int64(costCalls) {
		t.Fatalf("%v calls were right (%v)", said["calls"], err)
	}
	return float64(said["elapsed_ns"].(int64)) / costCalls
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
	few, many := allocated(b, plan{Timing: "each"}, 100), allocated(b, plan{Timing: "each"}, 100+costCalls)
	b.ReportMetric((many-few)/costCalls, "allocations/call")
}

func median(values []float64) float64 {
	sort.Float64s(values)
	return values[len(values)/2]
}

// allocated is how many allocations the loop of one client makes.
func allocated(t testing.TB, of plan, calls int64) float64 {
	of.Clients, of.Calls, of.LimitNs = 1, calls, 60e9
	clock, err := newMachineClock()
	if err != nil {
		t.Fatal(err)
	}
	defer clock.timer.Close()
	return testing.AllocsPerRun(5, func() {
		of := newTask(newDrive(of, nanotime(), 1, nil), clock, emptyStack{}, 0)
		of.run()
		if of.calls < calls {
			t.Fatalf("%d calls were made", of.calls)
		}
	})
}

// A loop that allocates would make the collector a part of what it measures.
func TestTheLoopAllocatesNothing(t *testing.T) {
	for name, of := range map[string]plan{"each": {Timing: "each"}, "batches": {Timing: "batch"}, "thoughts": {ThinkNs: 1000}} {
		if few, many := allocated(t, of, 100), allocated(t, of, 2000); many > few+100 {
			// The runtime makes one now and then: what the loop makes, it makes in each of 1,900 calls more.
			t.Errorf("%s: 100 calls made %v allocations, with what a drive begins with; 2,000 made %v", name, few, many)
		}
	}
}

func usedNs() int64 {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return used.Utime.Nano() + used.Stime.Nano()
}

// BenchmarkBareTimer prints how late a goroutine is that waits as the loop does, and does nothing else. CALLBENCH_GAP_NS says how far the
// moments lie apart. bench/go_kit.py runs it.
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
