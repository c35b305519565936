package realrun_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/testee"
)

// pythonSide is the reference, in a process of runners/python/contract.py.
type pythonSide struct {
	in  io.Writer
	out *bufio.Reader
	// by counts calls by what made them.
	by map[string]int
}

// newPythonSide starts it; it skips the test where the reference cannot be run.
func newPythonSide(t *testing.T) *pythonSide {
	t.Helper()
	source := os.Getenv("MONOLITH_SRC")
	if source == "" {
		t.Skip("MONOLITH_SRC names no checkout of the reference")
	}
	cmd := exec.CommandContext(t.Context(), findPython(t), "contract.py")
	cmd.Dir = filepath.Join("..", "python")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Wait() // the end of the test has killed it
	})
	s := &pythonSide{in: in, out: bufio.NewReader(out), by: map[string]int{"svr_client": 0, "stub": 0}}
	var hello struct{ Unavailable string }
	s.order(t, map[string]any{"hello": true}, &hello)
	if hello.Unavailable != "" {
		t.Skip(hello.Unavailable)
	}
	return s
}

func findPython(t *testing.T) string {
	t.Helper()
	interpreter := os.Getenv("PYTHON")
	if interpreter == "" {
		interpreter = "python3"
	}
	path, err := exec.LookPath(interpreter)
	if err != nil {
		t.Skipf("no Python: %v", err)
	}
	return path
}

// order sends an order and reads its answer.
func (s *pythonSide) order(t *testing.T, order map[string]any, answer any) {
	t.Helper()
	line, err := json.Marshal(order)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.in.Write(append(line, '\n')); err != nil {
		t.Fatalf("contract.py: %v", err)
	}
	line, err = s.out.ReadBytes('\n')
	if err != nil {
		t.Fatalf("contract.py: %v", err)
	}
	var failure struct{ Failed string }
	if err := json.Unmarshal(line, &failure); err != nil || failure.Failed != "" {
		t.Fatalf("contract.py: answer %s, %v", line, err)
	}
	if err := json.Unmarshal(line, answer); err != nil {
		t.Fatalf("contract.py: answer %s: %v", line, err)
	}
}

func caseJSON(c *testee.Vector) json.RawMessage { return pysem.AppendJSON(nil, c.Object()) }

func (s *pythonSide) serve(t *testing.T, c *testee.Vector) (int, func() []told) {
	t.Helper()
	var answer struct{ Port int }
	s.order(t, map[string]any{"serve": caseJSON(c)}, &answer)
	return answer.Port, func() []told {
		var answer struct{ Seen [][2]string }
		s.order(t, map[string]any{"stop": true}, &answer)
		var got []told
		for _, r := range answer.Seen {
			got = append(got, told{Method: r[0], Request: r[1]})
		}
		return got
	}
}

func (s *pythonSide) call(t *testing.T, c *testee.Vector, port int) []told {
	t.Helper()
	var answer struct {
		Calls []struct {
			By, Response string
			Status       struct{ Code, Details string }
		}
	}
	s.order(t, map[string]any{"call": caseJSON(c), "port": port}, &answer)
	var calls []told
	for _, call := range answer.Calls {
		s.by[call.By]++
		calls = append(calls, told{Response: call.Response, Code: call.Status.Code, Details: call.Status.Details})
	}
	return calls
}
