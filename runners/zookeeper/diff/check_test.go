package diff_test

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners/zookeeper/diff"
	"github.com/monosim/monosim/sim/zookeeper"
)

func newMachine(profile zookeeper.Profile) *diff.Machine {
	return diff.NewMachine(diff.Config(profile))
}

// Goal: a run as long as the one against a real server meets every operation and error code.
func TestScriptsMeetEveryOperationAndCode(t *testing.T) {
	steps := 100_000
	if testing.Short() {
		steps = 20_000
	}
	report, err := diff.Check(diff.Options{Seed: 1, Steps: steps, Root: "/t"}, newMachine(zookeeper.V38), newMachine(zookeeper.V38))
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Differences) > 0 || report.Unsteady > 0 {
		t.Errorf("a machine differs from itself: %d scripts, %d not again", len(report.Differences), report.Unsteady)
	}
	if missing := report.Answered.Missing(); len(missing) > 0 {
		t.Errorf("never met: %v", missing)
	}
}

// Goal: Check finds the differences between 3.8 and 3.9 and reduces their scripts to few
// steps.
func TestADifferenceIsFoundAndMadeSmall(t *testing.T) {
	told := 0
	report, err := diff.Check(diff.Options{Seed: 1, Steps: 50_000, Root: "/t", MostDifferences: 4, Progress: func(steps int) { told = steps }},
		newMachine(zookeeper.V38), newMachine(zookeeper.V39))
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Differences) < 4 || told != report.Steps {
		t.Fatalf("found %d differences in %d steps, told of %d; want 4 or more, and all of the steps", len(report.Differences), report.Steps, told)
	}
	for _, d := range report.Differences {
		if len(d.Script) > 12 {
			t.Errorf("seed %d: %d steps are left, want 12 at most:\n%s", d.Seed, len(d.Script), d.Script)
		}
		if !strings.Contains(d.Text, "- ") || !strings.Contains(d.Text, "+ ") {
			t.Errorf("seed %d: found the difference %q, want lines of both", d.Seed, d.Text)
		}
		again, err := diff.ParseScript([]byte(d.Script.String()))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(d.Script.String(), again.String()); diff != "" {
			t.Errorf("a script that was read again (-written +read):\n%s", diff)
		}
	}
}

// Goal: a script gives the same lines whatever was played before it, and below any root.
func TestAScriptDoesNotDependOnWhatWasBefore(t *testing.T) {
	script := diff.Generate(7, 80)
	var runs [3][]string
	m := newMachine(zookeeper.V38)
	for i, root := range []string{"/s", "/t", "/longer"} { // the bodies of Raw steps contain the path /a
		lines, err := diff.Play(m, root, script, nil)
		if err != nil {
			t.Fatal(err)
		}
		runs[i] = lines
	}
	for _, run := range runs[1:] {
		if diff := cmp.Diff(runs[0], run); diff != "" {
			t.Errorf("the script played again (-first +again):\n%s", diff)
		}
	}
}

// lateServer is a machine that leaves the request at number late unanswered. It counts the sessions
// that were made and ended.
type lateServer struct {
	*diff.Machine
	late, asked, made, ended int
}

func (s *lateServer) Dial() (diff.Conn, error) {
	conn, err := s.Machine.Dial()
	return &lateConn{Conn: conn, server: s}, err
}

type lateConn struct {
	diff.Conn
	server  *lateServer
	greeted bool
}

func (c *lateConn) Send(frame []byte) error {
	const prefix, xid = 4, 4 // number of bytes before the operation
	switch {
	case !c.greeted:
		if id := binary.BigEndian.Uint64(frame[prefix+16:]); id == 0 {
			c.server.made++
		}
		c.greeted = true
	case int32(binary.BigEndian.Uint32(frame[prefix+xid:])) == int32(zookeeper.OpCloseSession):
		c.server.ended++
	}
	return c.Conn.Send(frame)
}

func (c *lateConn) Receive() ([]byte, error) {
	if c.server.asked++; c.server.asked == c.server.late {
		return nil, diff.ErrNoAnswer
	}
	return c.Conn.Receive()
}

// Goal: a script that an answer too late has cut short leaves no session behind, which would expire
// during the next script on a real server.
func TestAScriptThatFailsEndsItsSessions(t *testing.T) {
	script, err := diff.ParseScript([]byte(`{"kind":"connect","timeoutMs":30000}
{"client":1,"kind":"connect","timeoutMs":30000}
{"client":1,"kind":"ask","request":{"Op":3,"Path":"/a"}}
`))
	if err != nil {
		t.Fatal(err)
	}
	for late := 8; late <= 10; late++ { // four answers come before the script, and two belong to its connects
		s := &lateServer{Machine: newMachine(zookeeper.V38), late: late}
		_, err := diff.Play(s, "/t", script, nil)
		if !errors.Is(err, diff.ErrNoAnswer) {
			t.Fatalf("late answer %d: found the error %v, want %v", late, err, diff.ErrNoAnswer)
		}
		if s.made != 3 || s.ended != s.made {
			t.Errorf("late answer %d: %d sessions were made and %d ended, want 3 of both", late, s.made, s.ended)
		}
	}
}

// Goal: a server that is restarted within a script answers as before, with its sessions, their timeouts
// and the order of its sets. Method: real servers had no difference in 44 such scripts; here the served
// machine reads its records, and the other one its snapshot.
func TestRestartsWithinScripts(t *testing.T) {
	servers, end, err := diff.Simulated(zookeeper.V38)
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	report, err := diff.Check(diff.Options{Seed: 9000, Steps: 600, Restarts: true, Root: "/t"}, servers...)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range report.Differences {
		t.Errorf("seed %d:\n%s%s", d.Seed, d.Text, d.Script)
	}
}
