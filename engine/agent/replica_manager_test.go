package agent

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env"
)

// sleeper is env.Tasks of which only the sleeps are written down.
type sleeper struct {
	env.Tasks
	slept []time.Duration
}

func (s *sleeper) Sleep(d time.Duration) { s.slept = append(s.slept, d) }

// The expectations were recorded from the reference's ZKListener by giving it the
// states one after another.
func TestSessionStatesSwitchPollUpdateAndReregister(t *testing.T) {
	type flags struct {
		Lost, Poll, Update, Reregister bool
		Slept                          time.Duration
	}
	const lost, suspended, connected = env.Lost, env.Suspended, env.Connected
	for _, test := range []struct {
		name   string
		states []env.SessionState
		want   flags
	}{
		{"first connection", []env.SessionState{connected}, flags{Poll: true, Update: true}},
		{"suspended and back", []env.SessionState{suspended, connected}, flags{Poll: true, Update: true}},
		{"lost", []env.SessionState{lost}, flags{Lost: true}},
		{"lost twice", []env.SessionState{lost, lost}, flags{Lost: true}},
		{"lost and suspended", []env.SessionState{lost, suspended}, flags{Lost: true}},
		{"lost and back", []env.SessionState{lost, connected}, flags{Poll: true, Reregister: true, Slept: 5 * time.Second}},
		{"lost, back, and once more", []env.SessionState{lost, connected, connected, lost, connected}, flags{Poll: true, Reregister: true, Slept: 10 * time.Second}},
	} {
		t.Run(test.name, func(t *testing.T) {
			tasks := &sleeper{}
			w, u := &ReplicaWatcher{shouldPoll: true}, &ReplicaUpdater{shouldUpdate: true}
			l := &zkListener{e: &env.Env{Tasks: tasks}, watcher: w, updater: u}
			for _, state := range test.states {
				if l.changed(state) {
					t.Errorf("%s: got true, want false: the listener stays", state)
				}
			}
			got := flags{Lost: l.lost, Poll: w.shouldPoll, Update: u.shouldUpdate, Reregister: u.shouldReregister}
			for _, d := range tasks.slept {
				got.Slept += d
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("flags (-want +got):\n%s", diff)
			}
		})
	}
}
