package realrun_test

import (
	"encoding/hex"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
	"github.com/monosim/monosim/runners/diff/testee/conformance"
	"github.com/monosim/monosim/vectors/golden"
)

// told holds the outcome of one call, as the server and the client saw it.
type told struct {
	Method string
	// Request holds the bytes that the server received, in hexadecimal.
	Request string
	// Response is the answer, with map entries sorted. If the call failed, Code and Details hold
	// the status that the client got.
	Response, Code, Details string
}

// servingSide starts a server for a recorded case. stop ends it and returns the requests
// that it received.
type servingSide interface {
	serve(t *testing.T, c *conformance.Vector) (port int, stop func() []told)
}

// callingSide makes the calls of a case and returns their outcomes, without Request.
type callingSide interface {
	call(t *testing.T, c *conformance.Vector, port int) []told
}

// pair makes the calls of a case from a client to a server, and returns both sides' view of
// each call.
func pair(t *testing.T, c *conformance.Vector, client callingSide, server servingSide) []told {
	t.Helper()
	port, stop := server.serve(t, c)
	calls := client.call(t, c, port)
	got := stop()
	// The server records no request for a method that it does not implement.
	for i, next := 0, 0; i < len(calls); i++ {
		if calls[i].Code == "UNIMPLEMENTED" {
			continue
		}
		if next == len(got) {
			t.Fatalf("the server got %d requests, want one for each of %+v", len(got), calls)
		}
		calls[i].Method, calls[i].Request = got[next].Method, got[next].Request
		next++
	}
	return calls
}

// contractCases returns the recorded cases of the RPC contract.
func contractCases(t *testing.T) []*conformance.Vector {
	t.Helper()
	suites, err := golden.Suites(golden.FS())
	if err != nil {
		t.Fatal(err)
	}
	var cases []*conformance.Vector
	for _, s := range suites {
		for i := range s.Cases {
			if s.Cases[i].Op != "agent_service.grpc" {
				continue
			}
			v, err := conformance.VectorOf(&s.Cases[i])
			if err != nil {
				t.Fatal(err)
			}
			if v.Want.Kind == testee.Returned { // otherwise there is no service to call
				cases = append(cases, v)
			}
		}
	}
	if len(cases) < 60 {
		t.Fatalf("found %d cases of agent_service.grpc, want 60 or more", len(cases))
	}
	return cases
}

// Goal: the RPC contract holds without Python. Method: this project's client and server talk
// over real sockets, and the outcomes equal those recorded from the reference.
func TestContractBetweenGoAndGo(t *testing.T) {
	for _, c := range contractCases(t) {
		t.Run(c.ID, func(t *testing.T) {
			got := pair(t, c, goSide{}, goSide{})
			want := recordedCalls(t, c)
			for i := range got {
				// Only the answers were recorded. The requests are part of the case itself.
				got[i].Method, got[i].Request = "", ""
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("calls (-recorded +got):\n%s", diff)
			}
		})
	}
}

// Goal: the RPC contract holds with the reference as client, as server, or as both. The test
// needs Python and the reference.
func TestContractWithPython(t *testing.T) {
	client, server := newPythonSide(t), newPythonSide(t)
	pairings := []struct {
		name   string
		client callingSide
		server servingSide
	}{
		{"Python client, Python server", client, server},
		{"Python client, Go server", client, goSide{}},
		{"Go client, Python server", goSide{}, server},
		{"Go client, Go server", goSide{}, goSide{}},
	}
	cases := contractCases(t)
	calls := 0
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			var want []told
			for i, p := range pairings {
				got := pair(t, c, p.client, p.server)
				if i == 0 {
					want = got
					calls += len(got)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-%s +got):\n%s", p.name, pairings[0].name, diff)
				}
			}
		})
	}
	t.Logf("%d cases with %d calls in %d pairings", len(cases), calls, len(pairings))
	for by, n := range client.by {
		if n == 0 {
			t.Errorf("no call was made by %s", by)
		}
		t.Logf("%d calls by the reference's %s", n, by)
	}
}

// recordedCalls returns the outcomes of the calls as the case records them.
func recordedCalls(t *testing.T, c *conformance.Vector) []told {
	t.Helper()
	at := func(v any, keys ...string) any {
		for _, key := range keys {
			d, ok := v.(*pysem.Dict)
			if !ok {
				t.Fatalf("%s: found %s, want an object with %q", c.ID, pysem.Repr(v), key)
			}
			v, _ = d.Get(key)
		}
		return v
	}
	var calls []told
	for _, call := range at(c.Want.Out, "calls").([]any) {
		if status := at(call, "status"); status != nil {
			calls = append(calls, told{Code: at(status, "code").(string), Details: at(status, "details").(string)})
			continue
		}
		text := at(call, "r", "message", "hex").(string)
		if _, err := hex.DecodeString(text); err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
		calls = append(calls, told{Response: text})
	}
	return calls
}
