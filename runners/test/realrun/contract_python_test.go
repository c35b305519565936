package realrun_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pythontest"
	"github.com/monosim/monosim/runners/diff/testee/conformance"
)

// pythonSide is the reference's service and client, in a process of
// runners/diff/python/contract.py.
type pythonSide struct {
	*pythontest.Program
	// by counts the calls by the client code that made them.
	by map[string]int
}

// newPythonSide starts the Python process. It skips the test where the reference cannot be
// run.
func newPythonSide(t *testing.T) *pythonSide {
	t.Helper()
	pythontest.Reference(t)
	cmd := pythontest.Command(t, pythontest.Find(t), "contract.py")
	cmd.Dir = filepath.Join("..", "..", "diff", "python")
	s := &pythonSide{pythontest.Start(t, cmd), map[string]int{"svr_client": 0, "stub": 0}}
	var hello struct{ Unavailable string }
	s.Order(t, map[string]any{"hello": true}, &hello)
	if hello.Unavailable != "" {
		t.Skip(hello.Unavailable)
	}
	return s
}

func caseJSON(c *conformance.Vector) json.RawMessage { return pysem.AppendJSON(nil, c.Object()) }

func (s *pythonSide) serve(t *testing.T, c *conformance.Vector) (int, func() []told) {
	t.Helper()
	var answer struct{ Port int }
	s.Order(t, map[string]any{"serve": caseJSON(c)}, &answer)
	return answer.Port, func() []told {
		var answer struct{ Seen [][2]string }
		s.Order(t, map[string]any{"stop": true}, &answer)
		var got []told
		for _, r := range answer.Seen {
			got = append(got, told{Method: r[0], Request: r[1]})
		}
		return got
	}
}

func (s *pythonSide) call(t *testing.T, c *conformance.Vector, port int) []told {
	t.Helper()
	var answer struct {
		Calls []struct {
			By, Response string
			Status       struct{ Code, Details string }
		}
	}
	s.Order(t, map[string]any{"call": caseJSON(c), "port": port}, &answer)
	var calls []told
	for _, call := range answer.Calls {
		s.by[call.By]++
		calls = append(calls, told{Response: call.Response, Code: call.Status.Code, Details: call.Status.Details})
	}
	return calls
}
