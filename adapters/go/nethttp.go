package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync/atomic"
)

const (
	path = "/service/helloworld"
	body = `{"result":["Hello World!"]}`
)

// helloWorld is the service as mORMot's server of the DataSnap article has it: one path, one answer.
type helloWorld struct {
	slowness slowness
	counted  atomic.Uint64
}

func (h *helloWorld) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		http.Error(w, path+" is asked with GET", http.StatusMethodNotAllowed)
		return
	}
	// Counted first, so that no client sees an answer that is not counted yet.
	h.counted.Add(1)
	h.slowness.take()
	w.Header().Set("Content-Type", "application/json")
	// Where the client has gone there is nobody to tell.
	_, _ = w.Write([]byte(body))
}

// netHTTP is `go/nethttp`: a server of the standard library with its own multiplexer.
type netHTTP struct {
	server  *http.Server
	hello   *helloWorld
	address string
}

func serveNetHTTP(host string, port int, slow slowness) (serving, error) {
	hello := &helloWorld{slowness: slow}
	mux := http.NewServeMux()
	mux.Handle(path, hello)
	listener, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return nil, err
	}
	served := &netHTTP{server: &http.Server{Handler: mux}, hello: hello, address: listener.Addr().String()}
	go func() {
		if err := served.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			fmt.Fprintf(os.Stderr, "callbench: net/http serves no more: %v\n", err)
		}
	}()
	return served, nil
}

func (s *netHTTP) endpoint() string { return "http://" + s.address + path }

func (s *netHTTP) takeCounted() uint64 { return s.hello.counted.Swap(0) }

func (s *netHTTP) close() error { return s.server.Close() }
