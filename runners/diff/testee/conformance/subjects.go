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

// Subject is a testee with the name that reports give it.
type Subject struct {
	Name string
	testee.Testee
}

// pythonTestee is the program that answers cases with the reference itself, from
// the root of the project's sources.
const pythonTestee = "runners/diff/python/testee.py"

// Python returns the reference as a testee: the checkout that MONOLITH_SRC names, run by
// the interpreter PYTHON (default python3). The working directory has to be the root of the
// project's sources. The error says what is missing.
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

// Program returns the testee that a command line starts, which is split at blanks. It
// starts with the first question; timeout is the wall time for one answer.
func Program(command string, timeout time.Duration) (Subject, error) {
	p, err := testee.StartProcess(command)
	if err != nil {
		return Subject{}, fmt.Errorf("--testee: %w", err)
	}
	p.Timeout = timeout
	return Subject{command, p}, nil
}

// Greet asks for the greeting. It refuses a testee without operations, which is how a
// testee greets that lacks something it needs.
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

// Again returns a copy of the subject that can answer beside it: another process, or for
// the engine the engine itself, which answers many callers at once.
func (s Subject) Again() testee.Testee {
	if p, ok := s.Testee.(*testee.Process); ok {
		return &testee.Process{Command: p.Command, Timeout: p.Timeout}
	}
	return s.Testee
}

// Counted is a testee that tells how many cases it has answered.
type Counted struct {
	testee.Testee
	Answered func(done int)
	done     int
}

// Answer answers a case and counts it.
func (c *Counted) Answer(asked *testee.Case) testee.Answer {
	a := c.Testee.Answer(asked)
	c.done++
	c.Answered(c.done)
	return a
}

// CloseAll closes subjects, and returns the errors of all.
func CloseAll(list []Subject) error {
	var all []error
	for _, s := range list {
		if s.Testee != nil {
			all = append(all, s.Close())
		}
	}
	return errors.Join(all...)
}

// CheckAnswered returns an error for a report without answers; suites are the selected ones.
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

// ParseKnown reads the ids of cases that a testee is known to fail, one a line; # begins a
// comment.
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
