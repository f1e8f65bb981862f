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

// The kinds of errors that a runner distinguishes.
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

// failureOf finds the kind of a library's error by its causes. Without a kind, the answer was wrong.
func failureOf(err error) *Failure {
	var known *Failure
	var timed interface{ Timeout() bool }
	is := func(causes ...error) bool {
		for _, cause := range causes {
			if errors.Is(err, cause) {
				return true
			}
		}
		return false
	}
	switch {
	case err == nil:
		return &Failure{WrongAnswer, "an answer was not the right one"}
	case errors.As(err, &known):
		return known
	case errors.As(err, &timed) && timed.Timeout():
		return &Failure{Timeout, err.Error()}
	case is(syscall.ECONNREFUSED):
		return &Failure{Refused, err.Error()}
	case is(io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, syscall.ECONNRESET, syscall.EPIPE):
		return &Failure{Closed, err.Error()}
	case is(syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.ENOBUFS, syscall.EADDRNOTAVAIL, syscall.EADDRINUSE):
		return &Failure{OutOfResources, err.Error()}
	}
	return &Failure{Protocol, err.Error()}
}
