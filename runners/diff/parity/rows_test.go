package parity

import (
	"strings"
	"testing"

	"github.com/monosim/monosim/vectors/scope"
)

// Goal: a register may claim neither more nor less than there is. Method: a small project in which
// one state at a time is wrong.

func TestAFalseStateIsRefused(t *testing.T) {
	for _, c := range []struct {
		name string
		lie  func(p *evidence)
		want string // claim that the check finds wrong; "" for none
	}{
		{"all is true", func(*evidence) {}, ""},
		{"done with its commands", func(p *evidence) {
			p.rows = []scope.Row{{ID: "B-H6", State: "done", Commands: []string{"monosim vectors verify", "make check"}}}
		}, ""},
		{"a row that is done without its command", func(p *evidence) {
			p.rows = []scope.Row{{ID: "D1", State: "done", Commands: []string{"make check", "monosim export"}}}
		}, "rows.yaml: D1: found state done, want part or later: there is no command monosim export in cmd/monosim or Makefile"},
		{"a row that is later with its command", func(p *evidence) {
			p.rows = []scope.Row{{ID: "D1", State: "later", Commands: []string{"make check"}}}
		}, "rows.yaml: D1: found state later, want done or part: there is make check"},
		{"a row that is done with names to come", func(p *evidence) {
			p.rows = []scope.Row{{ID: "A4", State: "done", Files: []string{"agent_v3.py"}}}
		}, "rows.yaml: A4: found state done, want part or later: 3 names of agent_v3.py are later"},
		{"a row that is later with all its names", func(p *evidence) {
			p.rows = []scope.Row{{ID: "A4", State: "later", Files: []string{"backends.py"}}}
		}, "rows.yaml: A4: found state later, want done or part: all names of backends.py are ported"},
		{"a row that is done but for a part of it", func(p *evidence) {
			p.rows = []scope.Row{{ID: "A1", State: "done"}, {ID: "A1a", State: "part"}, {ID: "A10", State: "later"}}
		}, "rows.yaml: A1: found state done, want part: A1a, which belongs to it, has state part"},
		{"a module that is done with names to come", func(p *evidence) {
			p.modules[1].State = "done"
		}, "modules.yaml: B02 agent_v3.py: found state done, want part: A.b is later"},
		{"a module that is done without its command", func(p *evidence) {
			p.modules[0].Commands = []string{"monosim export"}
		}, "modules.yaml: B01 backends.py: found state done, want part or later: there is no command monosim export in cmd/monosim or Makefile"},
		{"a program without a command", func(p *evidence) {
			p.names[0].Program = true
		}, "modules.yaml: B01 backends.py: found state done, want its commands: the reference's module can be run"},
		{"tests that nobody mirrors", func(p *evidence) {
			p.modules = []scope.Module{{ID: "B03", File: "agent_test.py", State: "done"}}
		}, "modules.yaml: B03 agent_test.py: found state done, want later: no test carries the name of one of its tests"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := smallParity(t)
			c.lie(p)
			err := p.checkStates()
			if c.want == "" && err != nil || c.want != "" && (err == nil || err.Error() != c.want) {
				t.Errorf("got error %v, want %s", err, c.want)
			}
		})
	}
}

func TestTheRowsOfTheBoxesFollowFromTheModules(t *testing.T) {
	p := smallParity(t)
	p.rows = make([]scope.Row, boxRows)
	p.stateBoxRows()
	for box, want := range map[int]string{
		1: "part: 1 ported module ticked, 1 open, 0 without need of it; 1 file of the reference not ported whole",
		7: "later: 0 ported modules ticked, 2 open, 0 without need of it; 1 file of the reference not ported whole",
		9: "part: 2 ported modules ticked, 0 open, 0 without need of it; 1 file of the reference not ported whole",
	} {
		if got := p.rows[box-1].State + ": " + p.rows[box-1].Note; got != want {
			t.Errorf("G%d: got %s, want %s", box, got, want)
		}
	}
	p.names, p.modules = p.names[:1], p.modules[:1]
	p.stateBoxRows()
	if got := p.rows[8]; got.State != "done" || !strings.HasPrefix(got.Note, "1 ported module ticked, 0 open") {
		t.Errorf("G9 of a project with all ported: got %s: %s, want done", got.State, got.Note)
	}
}

// Goal: the state of a row that names what shows it follows from that alone.
func TestStatesFollowFromWhatShowsARow(t *testing.T) {
	p := smallParity(t)
	p.rows = []scope.Row{
		{ID: "C1", Files: []string{"backends.py"}, Tests: []string{"TestOp"}, Commands: []string{"make check"}},
		{ID: "D2", Tests: []string{"TestUpstreamAgentV3_test_publish"}},
		{ID: "D3", Tests: []string{"TestOp"}, Commands: []string{"monosim export"}},
		{ID: "D4", State: "none", Note: "nothing to do"},
		{ID: "E5", Files: []string{"agent_v3.py"}},
		{ID: "A6", Files: []string{"nowhere.py"}},
	}
	p.names = append(p.names, scope.ModuleNames{File: "nowhere.py", Names: []scope.Name{{Name: "A", Go: []string{"x.A"}}}})
	p.stateDerivedRows()
	for i, want := range []string{
		"done ", "later no test TestUpstreamAgentV3_test_publish that asserts something", "part no command monosim export", "none nothing to do",
		"part 3 names of agent_v3.py are later", "later no test and no case of nowhere.py",
	} {
		if got := p.rows[i].State + " " + p.rows[i].Note; got != want {
			t.Errorf("%s: got %q, want %q", p.rows[i].ID, got, want)
		}
	}
}
