package pythontest

import (
	"bufio"
	"encoding/json"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Program is a running Python program that answers orders.
type Program struct {
	name string
	in   io.Writer
	out  *bufio.Reader
}

// Start runs a command until the end of the test. The command is the interpreter with a program. If
// the test fails, it shows what the program wrote to standard error.
func Start(t testing.TB, cmd *exec.Cmd) *Program {
	t.Helper()
	name := filepath.Base(cmd.Args[len(cmd.Args)-1])
	var said strings.Builder
	cmd.Stderr = &said
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
		_ = cmd.Wait() // the error is not looked at: the program ends when its input or the test's context does
		if t.Failed() {
			t.Logf("%s has said:\n%s", name, said.String())
		}
	})
	return &Program{name: name, in: in, out: bufio.NewReader(out)}
}

// Order sends an order as JSON and reads the answer. The test fails if the answer is {"failed":
// why}, or if there is none. Call it from the test's own goroutine.
func (p *Program) Order(t testing.TB, order, answer any) {
	t.Helper()
	sent, err := json.Marshal(order)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.in.Write(append(sent, '\n')); err != nil {
		t.Fatalf("%s: order %s: %v", p.name, sent, err)
	}
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		t.Fatalf("%s: no answer to %s: %v", p.name, sent, err)
	}
	var failure struct{ Failed string }
	if err := json.Unmarshal(line, &failure); err == nil && failure.Failed != "" {
		t.Fatalf("%s: order %s: %s", p.name, sent, failure.Failed)
	}
	if err := json.Unmarshal(line, answer); err != nil {
		t.Fatalf("%s: answer %s: %v", p.name, line, err)
	}
}
