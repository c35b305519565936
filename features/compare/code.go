package compare

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/scanner"
	"go/token"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/features/steps"
)

// Code identifies what a recorded result depends on: the scenarios, what the simulation does in
// them, and the source code that only real processes run. A result that was recorded with other
// hashes is out of date. Most code shows in the simulation: if an agent or a server behaves
// differently, the traces change of exactly those scenarios in which it does. So the hash of a
// scenario covers its steps and its trace with the first seed. Source code that no trace can show
// (a room) is hashed itself, without comments and blanks.
type Code struct {
	scenarios map[scenarioKey]scenarioCode
	rooms     map[string]string // hash of each room's source, by the room's path
}

type scenarioKey struct{ path, name string }

type scenarioCode struct{ kind, hash string }

// Kinds of scenarios, by what takes part: agents with their model servers, a model server alone, or
// a training job.
const (
	ofAgents   = "agents"
	ofServers  = "servers"
	ofTraining = "training"
)

// room is a folder or file of source code that matters only to runs with real processes.
type room struct {
	path string
	// runner and kinds limit the room to one runner and to kinds of scenarios. Empty means all.
	runner string
	kinds  []string
}

// clockRooms lists the code that differs between a simulated cluster and one of processes: the
// clock, protocols on sockets, programs, and the reference's surroundings. It also lists the code
// that compares runs. It omits the runner that starts the processes, so that a change of that
// runner does not make all recorded results old.
var clockRooms = []room{
	{path: "engine/walltime"},
	{path: "runners/test/deeds"},
	{path: "sim/zookeeper/wire", kinds: []string{ofAgents, ofTraining}},
	{path: "sim/tfserving/serve", kinds: []string{ofAgents, ofServers}},
	{path: "sim/tfserving/rest", kinds: []string{ofServers}},
	{path: "sim/consul/serve", kinds: []string{ofTraining}},
	{path: "engine/training/session/wire.go", runner: "real", kinds: []string{ofTraining}},
	{path: "runners/serve/programs/trainer.go", runner: "real", kinds: []string{ofTraining}},
	{path: "runners/serve/programs/agent.go", runner: "real", kinds: []string{ofAgents}},
	{path: "runners/test/pythonrun/agent.py", runner: "python"},
	{path: "runners/test/pythonrun/fake.py", runner: "python", kinds: []string{ofServers}},
	{path: "runners/test/pythonrun/clock.py", runner: "python"},
	{path: "runners/test/pythonrun/host.py", runner: "python"},
	{path: "runners/diff/python/finder.py", runner: "python"},
	{path: "runners/diff/python/protos.py", runner: "python"},
	{path: "runners/diff/python/standins", runner: "python"},
	{path: "runners/test/tensorflowrun/trainer.py", runner: "tensorflow", kinds: []string{ofTraining}},
	{path: "runners/test/tensorflowrun/graph.py", runner: "tensorflow", kinds: []string{ofTraining}},
	{path: "runners/test/pythonrun/clock.py", runner: "tensorflow", kinds: []string{ofTraining}},
	{path: "runners/diff/python/finder.py", runner: "tensorflow", kinds: []string{ofTraining}},
}

// ReadCode hashes the source files of the rooms, and the steps and traces of the scenarios. runs
// are simulation runs of the scenarios with seed 1.
func ReadCode(sources fs.FS, runs []steps.Result) (*Code, error) {
	c := &Code{scenarios: map[scenarioKey]scenarioCode{}, rooms: map[string]string{}}
	for i := range runs {
		r := &runs[i]
		h := sha256.New()
		fmt.Fprintf(h, "%016x\n", r.Stats.TraceHash)
		for _, s := range r.Steps {
			fmt.Fprintln(h, s.Text)
		}
		c.scenarios[scenarioKey{r.Path, r.Name}] = scenarioCode{kindOf(r), digits(h)}
	}
	for _, r := range clockRooms {
		h := sha256.New()
		if err := hashRoom(h, sources, r.path); err != nil {
			return nil, fmt.Errorf("code that records speak of: %w", err)
		}
		c.rooms[r.path] = digits(h)
	}
	return c, nil
}

// kindOf returns the kind of a scenario, which it takes from the texts of its first steps.
func kindOf(r *steps.Result) string {
	for _, s := range r.Steps {
		switch {
		case strings.Contains(s.Text, "training job with"):
			return ofTraining
		case strings.HasPrefix(s.Text, "a model server with the flags"):
			return ofServers
		}
	}
	return ofAgents
}

// digits returns the first six bytes of a hash as hex digits, enough to tell a few versions apart.
func digits(h interface{ Sum([]byte) []byte }) string { return hex.EncodeToString(h.Sum(nil)[:6]) }

// Stamp writes the hashes of the code into the results of a comparison that has just run. If the
// Code is nil, it writes none.
func (c *Code) Stamp(m *Matrix) {
	if c == nil {
		return
	}
	for i := range m.Scenarios {
		row := &m.Scenarios[i]
		for k := range m.Runners[1:] {
			if cell := &row.Cells[k+1]; cell.Ran() {
				cell.Scenario, cell.Rooms = c.of(row.Path, row.Name, m.Runners[k+1])
			}
		}
	}
}

// Ran reports whether the scenario passed or failed. A result of another kind does not depend on
// code.
func (c *Cell) Ran() bool {
	return c.Verdict == steps.Passed.String() || c.Verdict == steps.Failed.String()
}

// Older says why a recorded result is older than the code. It returns "" for a result that is not
// older.
func (c *Code) Older(path, name, runner string, cell Cell) (why string) {
	if c == nil || !cell.Ran() {
		return ""
	}
	switch scenario, rooms := c.of(path, name, runner); {
	case cell.Scenario != scenario:
		return "the scenario, or what the simulation does in it, was another"
	case cell.Rooms != rooms:
		return "what processes run through was other code: " + strings.Join(c.roomsOf(path, name, runner), ", ")
	}
	return ""
}

// Fresh reports whether a recorded result passed, without unexplained differences, and is not older
// than the code.
func (c *Code) Fresh(path, name, runner string, cell Cell) bool {
	if c == nil || cell.Verdict != steps.Passed.String() || cell.Log == Differs {
		return false
	}
	return c.Older(path, name, runner, cell) == ""
}

// of returns the hashes of a scenario, and of the rooms it uses on a runner. For an unknown
// scenario both are "".
func (c *Code) of(path, name, runner string) (scenario, rooms string) {
	sc, ok := c.scenarios[scenarioKey{path, name}]
	if !ok {
		return "", ""
	}
	h := sha256.New()
	for _, room := range c.roomsOf(path, name, runner) {
		fmt.Fprintln(h, c.rooms[room])
	}
	return sc.hash, digits(h)
}

// roomsOf lists the rooms that matter to a scenario on a runner.
func (c *Code) roomsOf(path, name, runner string) (list []string) {
	kind := c.scenarios[scenarioKey{path, name}].kind
	return lists.Select(clockRooms, func(r room) (string, bool) {
		return r.path, (r.runner == "" || r.runner == runner) && (len(r.kinds) == 0 || slices.Contains(r.kinds, kind))
	})
}

// hashRoom adds the source files of a room to a hash, except for tests and subfolders.
func hashRoom(h io.Writer, sources fs.FS, name string) error {
	files := []string{name}
	if list, err := fs.ReadDir(sources, name); err == nil {
		files = nil
		for _, f := range list {
			if !f.IsDir() && !strings.HasSuffix(f.Name(), "_test.go") {
				files = append(files, path.Join(name, f.Name()))
			}
		}
	}
	for _, file := range files {
		text, err := fs.ReadFile(sources, file)
		if err != nil {
			return err
		}
		switch path.Ext(file) {
		case ".go":
			hashGo(h, text)
		case ".py":
			hashPython(h, text)
		}
	}
	return nil
}

// hashGo adds the tokens of a Go file to a hash, without comments.
func hashGo(h io.Writer, text []byte) {
	files := token.NewFileSet()
	var s scanner.Scanner
	s.Init(files.AddFile("", -1, len(text)), text, nil, 0)
	for {
		_, word, literal := s.Scan()
		if word == token.EOF {
			return
		}
		if word == token.SEMICOLON {
			literal = "" // for a semicolon, the literal only says whether it was written out
		}
		fmt.Fprintln(h, word, literal)
	}
}

// hashPython adds to a hash the lines of a Python file that are neither blank nor comments.
func hashPython(h io.Writer, text []byte) {
	for line := range bytes.Lines(text) {
		if bare := bytes.TrimSpace(line); len(bare) > 0 && bare[0] != '#' {
			fmt.Fprintf(h, "%s\n", bytes.TrimRight(line, " \t\r\n"))
		}
	}
}
