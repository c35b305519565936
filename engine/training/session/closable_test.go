package session_test

import (
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/threading"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// act is what was done with a session, and what it raised or reported.
type act [2]string

// Goal: a closed session answers as TensorFlow's. Method: act the stories that testdata/record.py
// has recorded, with a PS that is stopped as the PS there.
func TestAClosedSessionAnswersAsTensorFlows(t *testing.T) {
	data, err := os.ReadFile("testdata/closed.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded struct{ Stories map[string][]act }
	if err := json.Unmarshal(data, &recorded); err != nil {
		t.Fatal(err)
	}
	if len(recorded.Stories) != 6 {
		t.Errorf("found %d stories, want 6", len(recorded.Stories))
	}
	for _, name := range slices.Sorted(maps.Keys(recorded.Stories)) {
		want := recorded.Stories[name]
		t.Run(name, func(t *testing.T) {
			worldtest.Run(t, nil, func(w *worldtest.Case) {
				c := &closing{w: w, hook: &keeping{}}
				switch name {
				case "a step that fails":
					c.hook.step = pysem.Raise("ValueError", "a step")
				case "an end that fails":
					c.hook.end = pysem.Raise("ValueError", "an end")
				case "a creation that fails":
					c.hook.create = pysem.Raise("ValueError", "a creation")
				}
				if d := gocmp.Diff(want, c.play(want)); d != "" {
					t.Errorf("recorded (-), ours (+): %s", d)
				}
			})
		})
	}
}

// keeping is a hook that keeps the session that it gets, and raises what it is told to.
type keeping struct {
	session.NoHook
	create, step, end error

	s     session.Session
	coord *session.Coordinator
	ends  []string
}

func (h *keeping) AfterCreateSession(s session.Session, coord *session.Coordinator) error {
	h.s, h.coord = s, coord
	return h.create
}

func (h *keeping) AfterRun(*session.RunContext, []any) error { return h.step }

func (h *keeping) End(s session.Session) error {
	if _, err := s.Run(); pysem.TypeOf(err) == "AttributeError" {
		h.ends = append(h.ends, "None")
	} else {
		h.ends = append(h.ends, "a session")
	}
	return h.end
}

// closing plays a story over a chief and a PS.
type closing struct {
	w     *worldtest.Case
	hook  *keeping
	begun []string // what tasks have done, and what came of it
	alive int
}

func text(err error) string {
	if err != nil {
		return err.Error()
	}
	return ""
}

// begin does it in a task, and gives it time to end.
func (c *closing) begin(start func(name string, fn func()), name string, fn func() error) string {
	c.alive++
	start(name, func() {
		c.begun = append(c.begun, name+" "+cmp.Or(text(fn()), "is done"))
		c.alive--
	})
	c.w.Env.Tasks.Sleep(3 * time.Second)
	return ""
}

// python returns a bool as Python prints it.
func python(b bool) string {
	if b {
		return "True"
	}
	return "False"
}

func (c *closing) play(recorded []act) (acts []act) {
	const device, addr = "/job:ps/task:0", "ps:1"
	e, way := c.w.Env, session.Open
	servers := session.NewServers(time.Millisecond)
	servers.Reach = func(string, string) session.Way { return way }
	servers.Start(addr)
	link := servers.Connect(e, map[string]string{device: addr}, device)
	c.w.Must(link.Initialize([]string{device}))
	kept := &session.Variable{Name: "kept", Device: device, First: int64(0)}
	m, created := session.NewMonitored(e, link, []session.Hook{c.hook})
	run := func() error { return session.Do(c.hook.s, session.Read(kept)) }
	step := func(s session.Session) error { return session.Do(s, session.AssignAdd(kept, 1)) }
	thread := func(name string, fn func()) { threading.Start(e.Tasks, name, fn) }
	turn := func(to session.Way) {
		way = to
		servers.Changed()
	}
	does := map[string]func() string{
		"create":      func() string { return text(created) },
		"run":         func() string { return text(m.Run(step)) },
		"with run":    func() string { return text(m.Run(step)) },
		"raw":         func() string { return text(run()) },
		"close":       func() string { return text(m.Close()) },
		"should_stop": func() string { return python(m.ShouldStop()) },
		"coord":       func() string { return python(c.hook.coord.ShouldStop()) },
		"ends":        func() string { return strings.Join(c.hook.ends, ", ") },
		"task": func() string {
			return c.begin(c.hook.coord.Go, "task", func() error {
				c.hook.coord.WaitForStop(-1)
				return run()
			})
		},
		"hold": func() string {
			turn(session.Stopped)
			return c.begin(thread, "hold", run)
		},
		"begin to close": func() string { return c.begin(thread, "begin to close", m.Close) },
		"closes":         func() string { return python(c.alive == 2) },
		"both": func() string {
			turn(session.Open)
			e.Tasks.Sleep(3 * time.Second)
			return strings.Join(slices.Sorted(slices.Values(c.begun)), ", ")
		},
	}
	for _, a := range recorded {
		acts = append(acts, act{a[0], does[a[0]]()})
	}
	return acts
}
