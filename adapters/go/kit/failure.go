package kit

import (
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
)

// Kind is a kind of error of contract/CONTRACT.md.
type Kind string

// The kinds that a runner tells apart.
const (
	Timeout        Kind = "timeout"
	Refused        Kind = "refused"
	Closed         Kind = "closed"
	Protocol       Kind = "protocol"
	Fault          Kind = "fault"
	WrongAnswer    Kind = "wrong-answer"
	CannotCarry    Kind = "cannot-carry"
	OutOfResources Kind = "out-of-resources"
	BadRequest     Kind = "bad-request"
	Unsupported    Kind = "unsupported"
)

// Failure is what went wrong, with one sentence a person can act on.
type Failure struct {
	Kind    Kind
	Message string
}

func (f *Failure) Error() string { return f.Message }

// Failed makes a failure of its kind.
func Failed(kind Kind, format string, values ...any) error {
	return &Failure{kind, fmt.Sprintf(format, values...)}
}

var causes = map[Kind][]error{
	Refused:        {syscall.ECONNREFUSED},
	Closed:         {io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, syscall.ECONNRESET, syscall.EPIPE},
	OutOfResources: {syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.ENOBUFS, syscall.EADDRNOTAVAIL},
}

// failureOf tells by the causes of a library's error of which kind it is; none is an answer that was not right.
func failureOf(err error) *Failure {
	if err == nil {
		return &Failure{Kind: WrongAnswer}
	}
	if found := (*Failure)(nil); errors.As(err, &found) {
		return found
	}
	if timed := (interface{ Timeout() bool })(nil); errors.As(err, &timed) && timed.Timeout() {
		return &Failure{Timeout, err.Error()}
	}
	for kind, known := range causes {
		for _, cause := range known {
			if errors.Is(err, cause) {
				return &Failure{kind, err.Error()}
			}
		}
	}
	return &Failure{Protocol, err.Error()}
}
