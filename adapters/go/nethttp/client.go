// Package nethttp has the stacks of Go's own net/http.
package nethttp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"callbench.org/adapters/go/kit"
	"callbench.org/adapters/go/speed"
)

// JSON is JSON-RPC 2.0 by POST, with encoding/json.
func JSON() kit.Stack { return kit.Stack{Name: "json+nethttp", Serve: serveJSON, Connect: connect} }

const contentType = "application/json"

// request is what a client sends.
type request struct {
	Version string `json:"jsonrpc"`
	Method  string `json:"method"`
	Params  any    `json:"params"`
	ID      int    `json:"id"`
}

type fault struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// clients share an http.Client, as its documentation recommends. It keeps a connection for each of them.
type clients struct {
	http     *http.Client
	endpoint string
	number   int
}

func connect(endpoint string, number int, timeout time.Duration) (kit.Clients, error) {
	at, err := url.Parse(endpoint)
	if err != nil || at.Scheme != "http" || at.Port() == "" {
		return nil, kit.Failed(kit.Refused, "%.200q is no http URL with an address and port", endpoint)
	}
	opened := make(chan net.Conn, number)
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = number, number
	// The first calls take the connections that are open already.
	dial := transport.DialContext
	transport.DialContext = func(during context.Context, network, address string) (net.Conn, error) {
		select {
		case connection := <-opened:
			return connection, nil
		default:
			return dial(during, network, address)
		}
	}
	limited, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	for i := 0; i < number; i++ {
		connection, err := dial(limited, "tcp", at.Host)
		if err != nil {
			return nil, err
		}
		opened <- connection
	}
	return &clients{&http.Client{Transport: transport, Timeout: timeout}, endpoint, number}, nil
}

func (c *clients) Connections() int { return c.number }

func (c *clients) Close() { c.http.CloseIdleConnections() }

func (c *clients) Prepare(operation string, payloads []kit.Payload) ([]kit.Caller, error) {
	invokes := make([]speed.Invoke, c.number)
	for i := range invokes {
		invokes[i] = c.call
	}
	return speed.Prepare(invokes, operation, payloads)
}

func (c *clients) call(method string, params, result any) error {
	body, err := json.Marshal(request{"2.0", method, params, 1})
	if err != nil {
		return err
	}
	answer, err := c.http.Post(c.endpoint, contentType, bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return kit.Failed(kit.Protocol, "the server answers %s", answer.Status)
	}
	said := struct {
		Result any    `json:"result"`
		Error  *fault `json:"error"`
	}{Result: result}
	if err := json.NewDecoder(answer.Body).Decode(&said); err != nil {
		return err
	}
	if said.Error != nil {
		return kit.Failed(kit.Fault, "%s", said.Error.Message)
	}
	// A connection is only reused if its answer was read completely.
	_, err = io.Copy(io.Discard, answer.Body)
	return err
}
