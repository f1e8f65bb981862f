package nethttp

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"callbench.org/adapters/go/kit"
)

// answering is a server with a fixed answer. It counts its connections.
func answering(t *testing.T, body string) (string, *atomic.Int64) {
	connections := new(atomic.Int64)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(body))
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	return server.URL, connections
}

func connected(t *testing.T, endpoint string, number int, operation, right string) []kit.Caller {
	clients, err := connect(endpoint, number, 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(clients.Close)
	callers, err := clients.Prepare(operation, []kit.Payload{{Arguments: []byte(`{"value":"x"}`), Answer: []byte(right)}})
	if err != nil {
		t.Fatal(err)
	}
	return callers
}

// Answers longer than 2 KiB are sent in chunks, the last of which is empty. The connection is only kept if that is read too.
func TestAConnectionIsKeptWhateverTheAnswer(t *testing.T) {
	long := strings.Repeat("a", 100_000)
	for _, text := range []string{"x", long} {
		endpoint, connections := answering(t, `{"jsonrpc":"2.0","result":"`+text+"\",\"id\":1}\n")
		callers := connected(t, endpoint, 3, "EchoString", `"`+text+`"`)
		for i := 0; i < 30; i++ {
			caller := callers[i%3]
			if err := caller.Call(0); err != nil || !caller.Right(0, i) {
				t.Fatalf("call %d: %v", i, err)
			}
		}
		if made := connections.Load(); made > 3 {
			t.Errorf("3 clients made %d connections for answers of %d characters", made, len(text))
		}
	}
}

// A wrong last member must be found at any position.
func TestAWrongAnswerIsNoticed(t *testing.T) {
	right := `[{"ID":1,"FirstName":"Ada","LastName":"Lovelace"},{"ID":2,"FirstName":"Zoe","LastName":"Adams"}]`
	for answer, holds := range map[string]bool{
		right: true,
		strings.Replace(right, "Adams", "Adam", 1): false,
		strings.Replace(right, "Ada", "Bea", 1):    false,
		`[]`:                                       false,
		`null`:                                     false,
	} {
		endpoint, _ := answering(t, `{"jsonrpc":"2.0","result":`+answer+`,"id":1}`)
		caller := connected(t, endpoint, 1, "GetPersons", right)[0]
		if err := caller.Call(0); err != nil || caller.Right(0, 0) != holds {
			t.Errorf("%s: right is %v, not %v (%v)", answer, !holds, holds, err)
		}
	}
}
