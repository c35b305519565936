package session_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: a session that was aborted is made again as TensorFlow makes it, with the same hooks. Method:
// act the stories that testdata/again.py has recorded, with a PS that is started again as the PS there.
func TestAnAbortedSessionIsMadeAgainAsTensorFlows(t *testing.T) {
	data, err := os.ReadFile("testdata/again.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded struct{ Stories map[string][]string }
	if err := json.Unmarshal(data, &recorded); err != nil {
		t.Fatal(err)
	}
	if len(recorded.Stories) != 5 {
		t.Errorf("found %d stories, want 5", len(recorded.Stories))
	}
	for _, name := range slices.Sorted(maps.Keys(recorded.Stories)) {
		t.Run(name, func(t *testing.T) {
			worldtest.Run(t, nil, func(w *worldtest.Case) {
				if d := gocmp.Diff(recorded.Stories[name], again(w, name)); d != "" {
					t.Errorf("recorded (-), ours (+): %s", d)
				}
			})
		})
	}
}

// again plays the story of a name, and returns what it tells.
func again(w *worldtest.Case, name string) (told []string) {
	const device, addr = "/job:ps/task:0", "ps:1"
	devices, addrs := []string{device}, map[string]string{device: addr}
	servers := session.NewServers(time.Millisecond)
	restart := func() error {
		servers.Stop(addr)
		servers.Start(addr)
		return nil
	}
	abort := func() error { return session.Raise("AbortedError", "gone") }
	chief := !strings.HasSuffix(name, "of a worker")
	a, b := &telling{name: "a", told: &told}, &telling{name: "b", told: &told}
	switch name {
	case "a PS that is started again before a step of the chief":
		b.at, b.does = "before", restart
	case "a PS that is started again before a step of a worker":
		b.at, b.does = "before", func() error {
			w.Must(restart())
			return servers.Connect(w.Env, addrs, device).Initialize(devices)
		}
	case "one that raises in a step":
		a.at, a.does = "after", abort
	case "one that raises while the session is made":
		b.at, b.does = "create", abort
	case "one that raises at the end":
		a.at, a.does = "end", abort
	}
	servers.Start(addr)
	w.Must(servers.Connect(w.Env, addrs, device).Initialize(devices))
	var link session.Link
	counter := session.GlobalStep()
	counter.Device = device
	m, err := session.NewRecovered(w.Env, []session.Hook{a, b}, func() (session.Session, error) {
		link = servers.Connect(w.Env, addrs, device)
		if chief {
			return link, link.Initialize(devices)
		}
		_, err := link.Ready(devices)
		return link, err
	})
	w.Must(err)
	for range 2 {
		step := int64(0)
		w.Must(m.Run(func(session.Session) (err error) {
			step, err = link.Step(devices, time.Millisecond, counter)
			return err
		}))
		told = append(told, fmt.Sprintf("step %d", step))
	}
	if err := m.Close(); err != nil {
		told = append(told, pysem.TypeOf(err)+": gone")
	}
	return told
}

// telling is a hook that tells of its calls, with the numbers of its sessions and coordinators, and
// does something at one of them, once.
type telling struct {
	name, at string
	does     func() error
	told     *[]string
	sessions []session.Session
	coords   []*session.Coordinator
}

func (h *telling) happens(what, more string) error {
	*h.told = append(*h.told, h.name+" "+what+more)
	if do := h.does; do != nil && h.at == what {
		h.does = nil
		return do()
	}
	return nil
}

// numbered returns the number of what a list has, from 1 on, and adds it if it is new.
func numbered[T comparable](list *[]T, what T) int {
	if !slices.Contains(*list, what) {
		*list = append(*list, what)
	}
	return slices.Index(*list, what) + 1
}

func (h *telling) Begin() error { return h.happens("begin", "") }
func (h *telling) AfterCreateSession(s session.Session, coord *session.Coordinator) error {
	return h.happens("create", fmt.Sprintf(" %d %d", numbered(&h.sessions, s), numbered(&h.coords, coord)))
}
func (h *telling) BeforeRun(*session.RunContext) ([]session.Op, error) {
	return nil, h.happens("before", "")
}
func (h *telling) AfterRun(*session.RunContext, []any) error { return h.happens("after", "") }
func (h *telling) End(session.Session) error                 { return h.happens("end", "") }
