package conformance

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
)

// Subject is a testee together with its name in reports.
type Subject struct {
	Name string
	testee.Testee
}

// pythonTestee is the program that runs cases on the Python reference. The path is relative to
// the root of the project's sources.
const pythonTestee = "runners/diff/python/testee.py"

// Python returns the Python reference as a testee. MONOLITH_SRC names its checkout, and PYTHON the
// interpreter (default python3). The working directory must be the root of the project's sources.
// The error says what is missing.
func Python() (Subject, error) {
	source := os.Getenv("MONOLITH_SRC")
	if source == "" {
		return Subject{}, errors.New("--python: found no MONOLITH_SRC in the environment, want the directory of a checkout of bytedance/monolith")
	}
	if _, err := os.Stat(filepath.Join(source, "monolith", "agent_service")); err != nil {
		return Subject{}, fmt.Errorf("--python: found no monolith/agent_service in MONOLITH_SRC=%s, want a checkout of bytedance/monolith", source)
	}
	if _, err := os.Stat(pythonTestee); errors.Is(err, fs.ErrNotExist) {
		return Subject{}, fmt.Errorf("--python: found no %s here, want to be run from the root of the project's sources", pythonTestee)
	}
	interpreter := cmp.Or(os.Getenv("PYTHON"), "python3")
	return Subject{"python", &testee.Process{Command: []string{interpreter, pythonTestee}}}, nil
}

// Program returns a testee that runs the given command line, split at blanks. The program is
// started by the first question. timeout is the wall time for one answer.
func Program(command string, timeout time.Duration) (Subject, error) {
	p, err := testee.StartProcess(command)
	if err != nil {
		return Subject{}, fmt.Errorf("--testee: %w", err)
	}
	p.Timeout = timeout
	return Subject{command, p}, nil
}

// Greet asks for the greeting. It returns an error if the greeting lists no operations: a testee
// greets so if it lacks something that it needs.
func (s Subject) Greet() (testee.Hello, error) {
	hello, err := s.Hello()
	if err != nil || len(hello.Ops) > 0 {
		return hello, err
	}
	err = fmt.Errorf("testee %s: found a greeting with no operations, want those that it answers", strings.TrimSpace(s.Name))
	if why := s.Answer(&testee.Case{ID: "hello", Op: "utils.get_local_ip", In: &pysem.Dict{}}); why.Kind == testee.Skipped {
		err = fmt.Errorf("%w; it skips a case with: %s", err, why.Why)
	}
	return hello, err
}

// Again returns a second testee of the same kind that can answer at the same time. For a program
// this is another process. The engine returns itself, since it can answer several callers at once.
func (s Subject) Again() testee.Testee {
	if p, ok := s.Testee.(*testee.Process); ok {
		return &testee.Process{Command: p.Command, Timeout: p.Timeout}
	}
	return s.Testee
}

// Counted is a testee that calls Answered with the number of its answers after each case.
type Counted struct {
	testee.Testee
	Answered func(done int)
	done     int
}

// Answer passes a case on to the testee, and then counts it.
func (c *Counted) Answer(asked *testee.Case) testee.Answer {
	a := c.Testee.Answer(asked)
	c.done++
	c.Answered(c.done)
	return a
}

// CloseAll closes all subjects and joins their errors. Subjects without a testee are skipped.
func CloseAll(list []Subject) error {
	var all []error
	for _, s := range list {
		if s.Testee != nil {
			all = append(all, s.Close())
		}
	}
	return errors.Join(all...)
}

// CheckAnswered returns an error if the report has no answers. suites are the selected globs, which
// the error names.
func (r *Report) CheckAnswered(suites []string) error {
	c := r.Counts()
	switch {
	case c.Total() == 0:
		return fmt.Errorf("--suite: found no case for %q, want a glob of suites or operations; see monosim vectors list", suites)
	case c.Total() == c.Skipped:
		return fmt.Errorf("testee %s: it answered none of %d cases (%s: %s), want operations in its greeting that have cases, found %s; see monosim vectors list",
			r.Testee.Name, c.Total(), r.Results[0].ID, r.Results[0].Text, strings.Join(r.Testee.Ops, ", "))
	}
	return nil
}

// ParseKnown reads a list of cases that a testee is known to fail: one id per line, with comments
// that begin with #.
func ParseKnown(text string) map[string]bool {
	known := map[string]bool{}
	for line := range strings.Lines(text) {
		id, _, _ := strings.Cut(line, "#")
		if id = strings.TrimSpace(id); id != "" {
			known[id] = true
		}
	}
	return known
}
