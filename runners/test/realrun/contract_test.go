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

// told is what came of one call.
type told struct {
	Method string
	// Request are the bytes that the server got, in hexadecimal.
	Request string
	// Response is the answer with its map entries sorted; else Code and Details say
	// what the client was told.
	Response, Code, Details string
}

// servingSide serves a case; stop ends that and tells the requests that came.
type servingSide interface {
	serve(t *testing.T, c *conformance.Vector) (port int, stop func() []told)
}

// callingSide makes the calls of a case, and tells all but the requests.
type callingSide interface {
	call(t *testing.T, c *conformance.Vector, port int) []told
}

// pair runs a case between two sides.
func pair(t *testing.T, c *conformance.Vector, client callingSide, server servingSide) []told {
	t.Helper()
	port, stop := server.serve(t, c)
	calls := client.call(t, c, port)
	got := stop()
	// The server sees nothing of a call of a method that it does not have.
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

// contractCases are the recorded cases.
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
			if v.Want.Kind == testee.Returned { // else there is no service to call
				cases = append(cases, v)
			}
		}
	}
	if len(cases) < 60 {
		t.Fatalf("found %d cases of agent_service.grpc, want 60 or more", len(cases))
	}
	return cases
}

// Goal: the contract holds without Python. Method: our client and our server over
// real sockets, against what the reference's were recorded to say.
func TestContractBetweenGoAndGo(t *testing.T) {
	for _, c := range contractCases(t) {
		t.Run(c.ID, func(t *testing.T) {
			got := pair(t, c, goSide{}, goSide{})
			want := recordedCalls(t, c)
			for i := range got {
				// Recorded are the answers; what is sent is in the case itself.
				got[i].Method, got[i].Request = "", ""
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("calls (-recorded +got):\n%s", diff)
			}
		})
	}
}

// Goal: the contract holds with the reference on either side. It needs Python and
// the reference.
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

// recordedCalls are the answers of a vector.
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
