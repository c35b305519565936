package vtime_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/monosim/monosim/engine/vtime"
)

// busyWorld makes a world of tasks that call a server, sleep, wake each other, and end. Some of
// their processes crash.
func busyWorld(seed uint64) (*vtime.World, *log) {
	w := vtime.New(vtime.Config{Seed: seed})
	server := w.Node("server")
	latency := server.Source("latency")
	seen := &log{}
	for i := range 6 {
		n := w.Node(fmt.Sprintf("node-%d", i))
		p := n.NewProcess("p")
		var tasks []*vtime.Task
		cond := p.NewCond("news")
		for j := range 3 {
			pause := n.Source(fmt.Sprintf("pause-%d", j))
			tasks = append(tasks, p.Start(fmt.Sprintf("t%d", j), func() {
				defer seen.add("%v: %d.%d ends", w.Now(), i, j)
				for {
					switch pause.Intn(4) {
					case 0:
						p.Sleep(time.Duration(pause.Intn(3)) * ms)
					case 1:
						self := p.Current()
						server.After(time.Duration(latency.Intn(2000))*time.Microsecond, kindTick, self.Wake)
						p.Park("the answer")
					case 2:
						cond.WaitFor(time.Duration(pause.Intn(5)) * ms)
					case 3:
						cond.Broadcast()
						p.Sleep(0)
					}
					seen.add("%v: %d.%d goes on", w.Now(), i, j)
				}
			}))
		}
		// This event wakes all tasks at once, and then schedules itself again.
		var all vtime.Handler
		all = handler(func(arg uint64) {
			for _, t := range tasks {
				t.Wake()
			}
			server.Schedule(w.Now()+7*ms, kindTick, all, arg+1)
		})
		all.Handle(0)
		n.After(time.Duration(20+17*i)*ms, kindTick, func() {
			if i%2 == 0 {
				p.Crash()
			} else {
				p.Stop()
			}
		})
	}
	return w, seen
}

// Goal: a run is the same whether events happen on the engine's goroutine or on coroutines of
// tasks. Method: a run in one piece, in which tasks drive, against runs that stop after each event
// or at random instants.
func TestWhoDrivesMakesNoDifference(t *testing.T) {
	const end = 200 * ms
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		slice := time.Duration(rapid.IntRange(1, 20_000).Draw(t, "slice")) * time.Microsecond
		type outcome struct {
			Events, Hash uint64
			Log          []string
		}
		play := func(run func(w *vtime.World) error) outcome {
			w, seen := busyWorld(seed)
			defer w.Close()
			if err := run(w); err != nil {
				t.Fatal(err)
			}
			return outcome{w.Events(), w.Hash(), *seen}
		}
		whole := play(func(w *vtime.World) error {
			_, err := w.Run(vtime.Limits{Until: end})
			return err
		})
		//lint:ordered the cases do not know of each other
		for name, run := range map[string]func(w *vtime.World) error{
			"one event at a time": func(w *vtime.World) error {
				for {
					if reason, err := w.Run(vtime.Limits{Until: end, MaxEvents: 1}); reason != vtime.EventsUp {
						return err
					}
				}
			},
			"slices": func(w *vtime.World) error {
				for at := min(slice, end); ; at = min(at+slice, end) {
					if _, err := w.Run(vtime.Limits{Until: at}); err != nil || at == end {
						return err
					}
				}
			},
		} {
			if diff := cmp.Diff(whole, play(run)); diff != "" {
				t.Fatalf("%s (-whole +got):\n%s", name, diff)
			}
		}
	})
}

func TestAPanicOfAHandlerIsItsOwnWhoeverDrives(t *testing.T) {
	w := newWorld(t, vtime.Config{})
	n := w.Node("node")
	p := n.NewProcess("p")
	p.Go("driver", func() {
		n.After(ms, kindTick, func() { panic("broken") })
		p.Sleep(time.Hour)
	})
	reason, err := w.Run(vtime.Limits{})
	if reason != vtime.Failed || err == nil || !strings.Contains(err.Error(), "an event handler panicked: broken") {
		t.Fatalf("got %v, %v; want a panic of an event handler", reason, err)
	}
}
