package nethttp

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"

	"callbench.org/adapters/go/kit"
	"callbench.org/adapters/go/speed"
)

// The error codes of JSON-RPC 2.0. refused is an error that the service reports.
const (
	unreadable    = -32700
	noRequest     = -32600
	noMethod      = -32601
	invalidParams = -32602
	refused       = -32000
)

// served is a server of net/http.
type served struct {
	http     *http.Server
	endpoint string
}

func (s *served) Endpoint() string { return s.endpoint }

func (s *served) Close() error { return s.http.Close() }

func serve(address, path string, handle http.HandlerFunc) (kit.Server, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc(path, handle)
	made := &served{&http.Server{Handler: mux}, "http://" + listener.Addr().String() + path}
	go func() {
		if err := made.http.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			fmt.Fprintf(os.Stderr, "callbench: net/http serves no more: %v\n", err)
		}
	}()
	return made, nil
}

// serveOne answers one method at one path.
func serveOne(address, path, method string, answer http.HandlerFunc) (kit.Server, error) {
	return serve(address, path, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != method {
			w.Header().Set("Allow", method)
			http.Error(w, path+" is asked with "+method, http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("Content-Type", contentType)
		answer(w, r)
	})
}

// asked is a request. Its method determines the type of the parameters.
type asked struct {
	Version string          `json:"jsonrpc"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	ID      json.RawMessage `json:"id"`
}

type reply struct {
	Version string          `json:"jsonrpc"`
	Result  any             `json:"result"`
	ID      json.RawMessage `json:"id"`
}

type refusal struct {
	Version string          `json:"jsonrpc"`
	Error   fault           `json:"error"`
	ID      json.RawMessage `json:"id"`
}

func serveJSON(address string, service *kit.Service) (kit.Server, error) {
	server := speed.NewServer(service)
	return serveOne(address, "/json", http.MethodPost, func(w http.ResponseWriter, r *http.Request) {
		// An error means that the client has gone.
		_ = json.NewEncoder(w).Encode(replyTo(server, json.NewDecoder(r.Body)))
	})
}

func replyTo(server *speed.Server, body *json.Decoder) any {
	var call asked
	if err := body.Decode(&call); err != nil {
		code := unreadable
		if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
			code = noRequest
		}
		return refusal{"2.0", fault{code, err.Error()}, nil}
	}
	if call.Version != "2.0" {
		return refusal{"2.0", fault{noRequest, `jsonrpc must be "2.0"`}, call.ID}
	}
	if !server.Has(call.Method) {
		return refusal{"2.0", fault{noMethod, fmt.Sprintf("the service has no operation %.64s", call.Method)}, call.ID}
	}
	result, err := server.Answer(call.Method, func(params any) error {
		if call.Params == nil {
			return nil
		}
		return json.Unmarshal(call.Params, params)
	})
	if err != nil {
		code := invalidParams
		if no := (*kit.Failure)(nil); errors.As(err, &no) {
			code = refused
		}
		return refusal{"2.0", fault{code, err.Error()}, call.ID}
	}
	return reply{"2.0", result, call.ID}
}

// Hello is the server of a REST study: one path, one answer, as mORMot's server of the DataSnap article has it.
func Hello() kit.Stack { return kit.Stack{Name: "nethttp", Serve: serveHello} }

func serveHello(address string, service *kit.Service) (kit.Server, error) {
	return serveOne(address, "/service/helloworld", http.MethodGet, func(w http.ResponseWriter, _ *http.Request) {
		service.Called("Hello")
		// An error means that the client has gone.
		_, _ = w.Write([]byte(`{"result":["Hello World!"]}`))
	})
}
