// Package kit is the runner of Go: contract/RUNNER.md towards the host, contract/LOOP.md within.
package kit

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Stack is what a technology brings: how it listens on an address, and how it connects; a server alone does not.
// Unavailable says why it cannot run here, if it cannot.
type Stack struct {
	Name        string
	Serve       func(address string, service *Service) (Server, error)
	Connect     func(endpoint string, clients int, timeout time.Duration) (Clients, error)
	Unavailable string
}

// Server notifies the service of each call before it answers.
type Server interface {
	Endpoint() string
	Close() error
}

// Clients are those of one connect. They convert payloads to the types of the library's users, and return a caller for each client.
type Clients interface {
	Connections() int
	Prepare(operation string, payloads []Payload) ([]Caller, error)
	Close()
}

// Caller is one client with a call that is prepared.
type Caller interface {
	// Call makes the call with a payload, until its answer is complete. It is what is timed.
	Call(payload int) error
	// Right says whether the last answer is that of the payload; call is the call's number in the drive.
	Right(payload, call int) bool
	// Answer is the last answer.
	Answer() any
}

// Payload is the arguments of a call and its correct answer, as plain values of contract/RUNNER.md. If the service refuses the call,
// there is no answer.
type Payload struct {
	Arguments json.RawMessage `json:"arguments"`
	Answer    json.RawMessage `json:"answer"`
}

type answer map[string]any

type request struct {
	plan
	Do        string          `json:"do"`
	ID        int64           `json:"id"`
	Ask       int64           `json:"ask"`
	Value     json.RawMessage `json:"value"`
	Fault     *string         `json:"fault"`
	Stack     string          `json:"stack"`
	Host      string          `json:"host"`
	Port      int             `json:"port"`
	Delays    delays          `json:"delays"`
	Endpoint  string          `json:"endpoint"`
	TimeoutMs int64           `json:"timeout_ms"`
	Call      string          `json:"call"`
	Payloads  []Payload       `json:"payloads"`
	Gaps      string          `json:"gaps"`
	StartAtNs int64           `json:"start_at_ns"`
	Trace     trace           `json:"trace"`
}

type runner struct {
	out      *os.File
	reading  float64
	stacks   map[string]Stack
	server   Server
	service  *Service
	clients  Clients
	callers  []Caller
	payloads int
	acting   sync.Mutex
	writing  sync.Mutex
	asking   sync.Mutex
	asked    []chan request // by the number of the question
}

// Run speaks with the host until it says stop, or its input ends.
func Run(version string, stacks ...Stack) {
	r := &runner{out: keepStdout(), reading: readingNs(), stacks: map[string]Stack{}}
	names, unavailable := []string{}, map[string]string{}
	for _, stack := range stacks {
		names, r.stacks[stack.Name] = append(names, stack.Name), stack
		if stack.Unavailable != "" {
			unavailable[stack.Name] = stack.Unavailable
		}
	}
	r.say(0, answer{
		"is": "ready", "runner": 1, "language": "go", "version": version, "runtime": runtime.Version(),
		"libraries": libraries(), "stacks": names, "unavailable": unavailable,
		"clock":    answer{"name": "CLOCK_MONOTONIC", "resolution_ns": 1, "reading_ns": r.reading},
		"features": []string{"closed", "think", "ramp-up", "open", "burn", "heap", "trace"},
	}, nil)
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	go func() {
		<-terminated
		os.Exit(0)
	}()
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		r.take(line)
	}
}

// libraries are Go's own, and the modules that were compiled in.
func libraries() map[string]string {
	found := map[string]string{"net/http": runtime.Version()}
	if built, known := debug.ReadBuildInfo(); known {
		for _, module := range built.Deps {
			// What replaces a module here is the kit itself.
			if module.Replace == nil {
				found[module.Path] = strings.TrimPrefix(module.Version, "v")
			}
		}
	}
	return found
}

// keepStdout returns the real stdout, and redirects descriptor 1 to stderr, because libraries print.
func keepStdout() *os.File {
	kept, err := syscall.Dup(1)
	if err == nil {
		err = syscall.Dup3(2, 1, 0)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "callbench: the runner cannot speak to the host: %v\n", err)
		os.Exit(1)
	}
	return os.NewFile(uintptr(kept), "stdout")
}

// take passes the host's answer to the waiting goroutine, so that the reader can continue during a request.
func (r *runner) take(line []byte) {
	var asked request
	if err := json.Unmarshal(line, &asked); err != nil {
		r.say(asked.ID, nil, Failed(BadRequest, "the line is not understood: %v", err))
		return
	}
	if asked.Do == "answer" {
		r.asking.Lock()
		defer r.asking.Unlock()
		r.asked[asked.Ask] <- asked
		r.asked[asked.Ask] = nil
		return
	}
	go func() {
		r.acting.Lock()
		defer r.acting.Unlock()
		act, known := acts[asked.Do]
		if !known {
			r.say(asked.ID, nil, Failed(BadRequest, "the request to do %.64q is not known", asked.Do))
			return
		}
		said, err := act(r, asked)
		r.say(asked.ID, said, err)
		if asked.Do == "stop" {
			os.Exit(0)
		}
	}()
}

// ask requests an answer of the service from the host.
func (r *runner) ask(call string, arguments any) (json.RawMessage, error) {
	answered := make(chan request, 1)
	r.asking.Lock()
	number := len(r.asked)
	r.asked = append(r.asked, answered)
	r.asking.Unlock()
	r.say(0, answer{"is": "ask", "ask": number, "call": call, "arguments": arguments}, nil)
	said := <-answered
	if said.Fault != nil {
		return nil, Failed(Fault, "%s", *said.Fault)
	}
	return said.Value, nil
}

func (r *runner) say(id int64, said answer, err error) {
	if err != nil {
		failure := failureOf(err)
		said = answer{"is": "error", "kind": failure.Kind, "message": failure.Message}
	}
	if id > 0 {
		said["id"] = id
	}
	line, err := json.Marshal(said)
	if err != nil {
		line, _ = json.Marshal(answer{"is": "error", "id": id, "kind": CannotCarry, "message": err.Error()})
	}
	r.writing.Lock()
	defer r.writing.Unlock()
	// If the host has gone, the input ends too.
	_, _ = r.out.Write(append(line, '\n'))
}

var acts = map[string]func(*runner, request) (answer, error){
	"serve":        (*runner).serve,
	"counted":      (*runner).counted,
	"stop-serving": (*runner).stopServing,
	"connect":      (*runner).connect,
	"disconnect":   (*runner).disconnect,
	"prepare":      (*runner).prepare,
	"call":         (*runner).call,
	"drive":        (*runner).drive,
	"trace":        func(_ *runner, asked request) (answer, error) { return asked.Trace.play(), nil },
	"heap":         func(*runner, request) (answer, error) { return answer{"is": "heap", "used_bytes": usedHeap()}, nil },
	"stop":         func(*runner, request) (answer, error) { return answer{"is": "stopped"}, nil },
}

func (r *runner) serve(asked request) (answer, error) {
	stack := r.stacks[asked.Stack]
	if stack.Serve == nil || r.server != nil {
		return nil, Failed(BadRequest, "stack %.64q is none of mine, or something is served already: say stop-serving first", asked.Stack)
	}
	r.service = &Service{delays: asked.Delays, since: time.Now(), ask: r.ask, counts: map[string]int64{}}
	server, err := stack.Serve(net.JoinHostPort(asked.Host, strconv.Itoa(asked.Port)), r.service)
	if err != nil {
		return nil, err
	}
	r.server = server
	return answer{"is": "serving", "endpoint": server.Endpoint()}, nil
}

func (r *runner) counted(request) (answer, error) {
	if r.server == nil {
		return nil, Failed(BadRequest, "nothing is served: say serve first")
	}
	return answer{"is": "counts", "calls": r.service.counted(), "processor": usedProcessor()}, nil
}

func (r *runner) stopServing(request) (answer, error) {
	if r.server == nil {
		return nil, Failed(BadRequest, "nothing is served: say serve first")
	}
	err := r.server.Close()
	r.server = nil
	return answer{"is": "stopped-serving"}, err
}

func (r *runner) connect(asked request) (answer, error) {
	stack := r.stacks[asked.Stack]
	if stack.Connect == nil {
		return nil, Failed(Unsupported, "stack %.64q is none of mine, or has a server only", asked.Stack)
	}
	_, _ = r.disconnect(asked)
	clients, err := stack.Connect(asked.Endpoint, int(asked.Clients), time.Duration(asked.TimeoutMs)*time.Millisecond)
	if err != nil {
		return nil, err
	}
	r.clients = clients
	return answer{"is": "connected", "connections": clients.Connections()}, nil
}

func (r *runner) disconnect(request) (answer, error) {
	if r.clients != nil {
		r.clients.Close()
	}
	r.clients, r.callers = nil, nil
	return answer{"is": "disconnected"}, nil
}

func (r *runner) prepare(asked request) (answer, error) {
	if r.clients == nil {
		return nil, Failed(BadRequest, "there are no clients to prepare a call for: say connect first")
	}
	callers, err := r.clients.Prepare(asked.Call, asked.Payloads)
	r.callers, r.payloads = callers, len(asked.Payloads)
	return answer{"is": "prepared"}, err
}

func (r *runner) call(request) (answer, error) {
	if len(r.callers) == 0 {
		return nil, Failed(BadRequest, "there is no call to make: say connect and prepare first")
	}
	err := r.callers[0].Call(0)
	if err == nil {
		return answer{"is": "returned", "value": r.callers[0].Answer()}, nil
	}
	if failure := failureOf(err); failure.Kind == Fault {
		return answer{"is": "returned", "fault": answer{"message": failure.Message}}, nil
	}
	return nil, err
}

func (r *runner) drive(asked request) (answer, error) {
	if asked.Clients < 1 || asked.Clients > int64(len(r.callers)) {
		return nil, Failed(BadRequest, "%d clients cannot drive: %d are connected and have a call prepared", asked.Clients, len(r.callers))
	}
	gaps, err := readGaps(asked.Gaps)
	if err != nil {
		return nil, err
	}
	asked.Reading, asked.SpinNs = r.reading, thinkSpinNs
	if gaps != nil {
		asked.SpinNs = arrivalSpinNs
	}
	return newDrive(asked.plan, 0, r.payloads, gaps).run(r.callers[:asked.Clients], asked.StartAtNs, func(atNs, calls, errors int64) {
		r.say(asked.ID, answer{"is": "interval", "at_ns": atNs, "calls": calls, "errors": errors}, nil)
	})
}

// usedProcessor is CPU of the contract: what all threads of the process have used since it began.
func usedProcessor() map[string]string {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return map[string]string{"user_ns": decimal(used.Utime.Nano()), "system_ns": decimal(used.Stime.Nano())}
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
