package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

const longestLine = 16 << 20

// serving is what is served.
type serving interface {
	endpoint() string
	takeCounted() uint64
	close() error
}

// serve starts a stack at a port, 0 being any free one.
type serve func(host string, port int, slow slowness) (serving, error)

// conversation is the server's half of contract/CONTRACT.md: requests on stdin, answers on what was stdout.
type conversation struct {
	out     io.Writer
	stacks  map[string]serve
	serving serving
	lastID  int64
}

type clock struct {
	Name         string  `json:"name"`
	ResolutionNs int     `json:"resolution_ns"`
	ReadingNs    float64 `json:"reading_ns"`
}

type hello struct {
	Is        string            `json:"is"`
	Contract  int               `json:"contract"`
	Adapter   string            `json:"adapter"`
	Language  string            `json:"language"`
	Version   string            `json:"version"`
	Runtime   string            `json:"runtime"`
	Libraries map[string]string `json:"libraries"`
	Clock     clock             `json:"clock"`
	Features  []string          `json:"features"`
	Stacks    []string          `json:"stacks"`
}

type request struct {
	Do      string         `json:"do"`
	ID      int64          `json:"id"`
	Stack   string         `json:"stack"`
	Host    string         `json:"host"`
	Port    int            `json:"port"`
	Options map[string]any `json:"options"`
}

// answer is a line to the core without its id.
type answer map[string]any

// refusal is answered as an error of its kind.
type refusal struct {
	kind, sentence string
}

func (r refusal) Error() string { return r.sentence }

func bad(format string, values ...any) error {
	return refusal{"bad-request", fmt.Sprintf(format, values...)}
}

// hold speaks until stop, the end of stdin or SIGTERM.
func (c *conversation) hold(first hello) error {
	if err := c.say(first); err != nil {
		return err
	}
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM)
	lines := make(chan []byte)
	go readLines(os.Stdin, lines)
	defer c.end()
	for {
		select {
		case <-told:
			return nil
		case line, more := <-lines:
			if !more {
				return nil
			}
			if stops, err := c.answerTo(line); stops || err != nil {
				return err
			}
		}
	}
}

// readLines gives line by line, nil for one that is too long, of which nothing is kept.
func readLines(from io.Reader, lines chan<- []byte) {
	defer close(lines)
	reader := bufio.NewReader(from)
	var line []byte
	tooLong := false
	for {
		piece, err := reader.ReadSlice('\n')
		if len(line)+len(piece) > longestLine {
			line, tooLong = nil, true
		}
		if !tooLong {
			line = append(line, piece...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return
		}
		if tooLong {
			lines <- nil
		} else {
			lines <- line
		}
		line, tooLong = nil, false
	}
}

// answerTo answers one line; whether it was stop.
func (c *conversation) answerTo(line []byte) (bool, error) {
	said, asked, err := c.act(line)
	// Ids rise by one, so that a line without a readable id still has one.
	id := asked.ID
	if id < 1 {
		id = c.lastID + 1
	}
	c.lastID = id
	if err != nil {
		kind := "internal"
		var refused refusal
		if errors.As(err, &refused) {
			kind = refused.kind
		}
		said = answer{"is": "error", "kind": kind, "message": err.Error()}
	}
	said["id"] = id
	return asked.Do == "stop", c.say(said)
}

func (c *conversation) act(line []byte) (answer, request, error) {
	var asked request
	if line == nil {
		return nil, asked, bad("the line is longer than %d bytes", longestLine)
	}
	if err := json.Unmarshal(line, &asked); err != nil {
		return nil, request{ID: asked.ID}, bad("the line is not understood: %v", err)
	}
	if asked.ID < 1 {
		return nil, request{}, bad("the request has no id: it must be a whole number from 1 on")
	}
	said, err := c.do(asked)
	return said, asked, err
}

func (c *conversation) do(asked request) (answer, error) {
	switch asked.Do {
	case "serve":
		return c.serve(asked)
	case "counted":
		return c.counted()
	case "stop-serving":
		if c.serving == nil {
			return nil, nothingServed()
		}
		return answer{"is": "stopped-serving"}, c.end()
	case "heap":
		return answer{"is": "heap", "used_bytes": usedHeap()}, nil
	case "stop":
		return answer{"is": "stopped"}, c.end()
	case "connect", "disconnect", "call", "drive", "codec", "serve-all", "channel":
		return nil, refusal{"unsupported", "this adapter has servers only, so it cannot " + asked.Do + ": the load driver calls them"}
	}
	return nil, bad("the request to do %.64q is not known", asked.Do)
}

func (c *conversation) serve(asked request) (answer, error) {
	start, known := c.stacks[asked.Stack]
	if !known {
		return nil, bad("stack %.64q is not one of mine: hello lists them", asked.Stack)
	}
	if asked.Host == "" || asked.Port < 0 || asked.Port > 65535 {
		return nil, bad("host is %.64q and port %d: there must be an address and a port from 0 to 65535", asked.Host, asked.Port)
	}
	slow, err := slownessOf(asked.Options)
	if err != nil {
		return nil, bad("%v", err)
	}
	if c.serving != nil {
		return nil, bad("something is served already: say stop-serving first")
	}
	served, err := start(asked.Host, asked.Port, slow)
	if err != nil {
		return nil, err
	}
	c.serving = served
	return answer{"is": "serving", "endpoint": served.endpoint()}, nil
}

func (c *conversation) counted() (answer, error) {
	if c.serving == nil {
		return nil, nothingServed()
	}
	used, err := usedProcessor()
	if err != nil {
		return nil, err
	}
	calls := map[string]uint64{}
	if counted := c.serving.takeCounted(); counted > 0 {
		calls["Hello"] = counted
	}
	return answer{"is": "counts", "calls": calls, "processor": used}, nil
}

// end ends what is served, with its connections.
func (c *conversation) end() error {
	if c.serving == nil {
		return nil
	}
	ended := c.serving
	c.serving = nil
	return ended.close()
}

func (c *conversation) say(message any) error {
	line, err := json.Marshal(message)
	if err != nil {
		return err
	}
	_, err = c.out.Write(append(line, '\n'))
	return err
}

func nothingServed() error { return bad("nothing is served: say serve first") }
