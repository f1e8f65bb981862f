// Package grpc has the stack of google.golang.org/grpc. It carries the calls of a service of the user's own, by protoc's stubs.
package grpc

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"time"

	"callbench.org/adapters/go/kit"
	"callbench.org/adapters/go/own"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// Stub is a method of a generated client.
type Stub[Request, Answer any] func(during context.Context, request Request, options ...grpc.CallOption) (Answer, error)

// Method prepares one call for clients.
type Method func(clients []*grpc.ClientConn, timeout time.Duration, payloads []kit.Payload) ([]kit.Caller, error)

// MethodOf is a call by its stub.
func MethodOf[Request, Answer proto.Message](
	call *own.Call[Request, Answer], stub func(to *grpc.ClientConn) Stub[Request, Answer],
) Method {
	return func(clients []*grpc.ClientConn, timeout time.Duration, payloads []kit.Payload) ([]kit.Caller, error) {
		invokes := make([]own.Invoke[Request, Answer], len(clients))
		for i, client := range clients {
			made := stub(client)
			invokes[i] = func(request Request) (Answer, error) {
				limited, cancel := context.WithTimeout(context.Background(), timeout)
				defer cancel()
				answer, err := made(limited, request)
				return answer, failure(err)
			}
		}
		return call.Prepare(invokes, payloads)
	}
}

// Answered is what a server returns: the service's refusal has a status of its own.
func Answered[Answer any](answer Answer, err error) (Answer, error) {
	if err != nil {
		return answer, status.Error(codes.InvalidArgument, err.Error())
	}
	return answer, nil
}

// failure turns a status into the kinds of the contract.
func failure(err error) error {
	if err == nil {
		return nil
	}
	said := status.Convert(err)
	kind := kit.Protocol
	switch said.Code() {
	case codes.InvalidArgument:
		kind = kit.Fault
	case codes.DeadlineExceeded:
		kind = kit.Timeout
	case codes.Unavailable, codes.Canceled:
		kind = kit.Closed
	}
	return kit.Failed(kind, "%s", said.Message())
}

// Stack is the stack. Register adds the generated service to a server.
func Stack(register func(to *grpc.Server, service *kit.Service), methods map[string]Method) kit.Stack {
	return kit.Stack{
		Name: "protobuf+grpc",
		Serve: func(address string, service *kit.Service) (kit.Server, error) {
			return serve(address, func(to *grpc.Server) { register(to, service) })
		},
		Connect: func(endpoint string, number int, timeout time.Duration) (kit.Clients, error) {
			return connect(endpoint, number, timeout, methods)
		},
	}
}

// served is a server.
type served struct {
	grpc     *grpc.Server
	endpoint string
}

func (s *served) Endpoint() string { return s.endpoint }

func (s *served) Close() error {
	s.grpc.Stop()
	return nil
}

func serve(address string, register func(to *grpc.Server)) (kit.Server, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	made := &served{grpc.NewServer(grpc.MaxRecvMsgSize(math.MaxInt32)), listener.Addr().String()}
	register(made.grpc)
	go func() {
		if err := made.grpc.Serve(listener); err != nil && !errors.Is(err, grpc.ErrServerStopped) {
			fmt.Fprintf(os.Stderr, "callbench: grpc serves no more: %v\n", err)
		}
	}()
	return made, nil
}

// clients have a connection each.
type clients struct {
	connections []*grpc.ClientConn
	timeout     time.Duration
	methods     map[string]Method
}

func connect(endpoint string, number int, timeout time.Duration, methods map[string]Method) (kit.Clients, error) {
	if _, _, err := net.SplitHostPort(endpoint); err != nil {
		return nil, kit.Failed(kit.Refused, "%.200q is no address with a port", endpoint)
	}
	made := &clients{timeout: timeout, methods: methods}
	limited, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	for range number {
		// The address is taken as it is: a resolver of names would look for a proxy too.
		connection, err := grpc.NewClient("passthrough:///"+endpoint,
			grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32)))
		if err != nil {
			made.Close()
			return nil, err
		}
		made.connections = append(made.connections, connection)
		if err := ready(limited, connection, endpoint); err != nil {
			made.Close()
			return nil, err
		}
	}
	return made, nil
}

// ready waits until a connection stands.
func ready(during context.Context, connection *grpc.ClientConn, endpoint string) error {
	connection.Connect()
	for {
		state := connection.GetState()
		switch {
		case state == connectivity.Ready:
			return nil
		case state == connectivity.TransientFailure:
			return kit.Failed(kit.Refused, "%s does not take a connection", endpoint)
		case !connection.WaitForStateChange(during, state):
			return kit.Failed(kit.Timeout, "%s took no connection in time", endpoint)
		}
	}
}

func (c *clients) Connections() int { return len(c.connections) }

func (c *clients) Close() {
	for _, connection := range c.connections {
		// An error means that it was closed before.
		_ = connection.Close()
	}
}

func (c *clients) Prepare(operation string, payloads []kit.Payload) ([]kit.Caller, error) {
	method, known := c.methods[operation]
	if !known {
		return nil, kit.Failed(kit.BadRequest, "the service has no operation %.64q", operation)
	}
	return method(c.connections, c.timeout, payloads)
}
