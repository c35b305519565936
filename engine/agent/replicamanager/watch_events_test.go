package replicamanager_test

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/agent/agenttest"
	"github.com/monosim/monosim/engine/agent/replicamanager"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
)

// heldWatches is a ZooKeeper client that stores the functions of its watches, so that a test can
// call them. A watch on a path that contains "fails" cannot be set.
type heldWatches struct {
	env.ZooKeeper
	children map[string]env.ChildrenFunc
	data     map[string]env.DataFunc
}

func (z *heldWatches) fails(path string) error {
	if strings.Contains(path, "fails") {
		return pysem.Raise("OSError", "the watch failed")
	}
	return nil
}

func (z *heldWatches) ChildrenWatch(path string, fn env.ChildrenFunc) (env.Watch, error) {
	z.children[path] = fn
	return nil, z.fails(path)
}

func (z *heldWatches) DataWatch(path string, fn env.DataFunc) (env.Watch, error) {
	z.data[path] = fn
	return nil, z.fails(path)
}

// watchingByHand makes a watcher of /b/service/n and sets its first watch.
func watchingByHand(t *testing.T, pairs ...any) (*replicamanager.ReplicaWatcher, *heldWatches) {
	t.Helper()
	e := envtest.New(nil, nil)
	e.Tasks, e.Log = &envtest.Tasks{}, envtest.Quiet{}
	zk := &heldWatches{children: map[string]env.ChildrenFunc{}, data: map[string]env.DataFunc{}}
	w := replicamanager.NewReplicaWatcher(e, zk, psConfig(t, e, pairs...), replicamanager.WatcherOptions{})
	if err := w.Watch(); err != nil {
		t.Fatal(err)
	}
	return w, zk
}

// statesOf lists the replicas of a watcher with the numbers of their states.
func statesOf(w *replicamanager.ReplicaWatcher) string {
	var list []string
	for task, replicas := range w.Replicas().All {
		for id, replica := range replicas.All {
			list = append(list, fmt.Sprintf("%s/%s:%d", path.Base(task), id, replica.Value().Stat))
		}
	}
	return strings.Join(list, " ")
}

// Goal: each event of a data watch, with or without data, changes the mirror as in the reference.
// The expected values were recorded from the functions of replica_manager.py:134-186, called with
// these names, data and events.
func TestEventsOfReplicasChangeTheMirror(t *testing.T) {
	const task = "/b/service/n/ps:0"
	data := agenttest.ReplicaData("h:1", env.StateAvailable)
	type event struct {
		name  string
		data  []byte
		event env.EventType // 0 for none
	}
	for _, test := range []struct {
		name   string
		events []event
		want   []string // contents of the mirror after each event, with the class of an error before it
	}{
		{"no data of an unknown task", []event{{"1", []byte{}, 0}}, []string{""}},
		{"no data of an unknown replica", []event{{"1", data, 0}, {"2", []byte{}, env.EventChanged}}, []string{"ps:0/1:30", "ps:0/1:30"}},
		{"no data, children changed", []event{{"1", data, 0}, {"1", []byte{}, env.EventChildrenChanged}}, []string{"ps:0/1:30", "ps:0/1:0"}},
		{"no data, deleted", []event{{"1", data, 0}, {"1", nil, env.EventDeleted}}, []string{"ps:0/1:30", ""}},
		{"session changed", []event{{"1", data, 0}, {"1", data, env.EventNone}}, []string{"ps:0/1:30", "ps:0/1:0"}},
		{"children changed", []event{{"1", data, 0}, {"1", data, env.EventChildrenChanged}}, []string{"ps:0/1:30", "ps:0/1:30"}},
		{"one byte", []event{{"1", data, 0}, {"1", []byte("{"), env.EventChanged}}, []string{"ps:0/1:30", "JSONDecodeError ps:0/1:30"}},
		{"a name that is no number", []event{{"x", data, 0}}, []string{"ValueError "}},
	} {
		t.Run(test.name, func(t *testing.T) {
			w, zk := watchingByHand(t)
			if err := zk.children["/b/service/n"]([]string{"ps:0"}); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range test.events {
				if err := zk.children[task]([]string{e.name}); err != nil {
					t.Fatal(err)
				}
				var event *env.WatchEvent
				if e.event != 0 {
					event = &env.WatchEvent{Type: e.event, Path: task + "/" + e.name}
				}
				line := ""
				if err := zk.data[task+"/"+e.name](e.data, nil, event); err != nil {
					line = pysem.TypeOf(err) + " "
				}
				got = append(got, line+statesOf(w))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("mirrors (-want +got):\n%s", diff)
			}
		})
	}
}

// Goal: data that is read after the session was lost makes a replica UNKNOWN, and with Q114 repaired it
// counts.
func TestQ114_DataReadAfterALostSessionIsNotBelieved(t *testing.T) {
	agenttest.BothWays(t, quirks.Q114, func(t *testing.T, keep quirks.Set) {
		w, zk := watchingByHand(t)
		w.Conf().Quirks = keep
		if err := errors.Join(zk.children["/b/service/n"]([]string{"ps:0"}), zk.children["/b/service/n/ps:0"]([]string{"1"})); err != nil {
			t.Fatal(err)
		}
		watch := zk.data["/b/service/n/ps:0/1"]
		data := agenttest.ReplicaData("h:1", env.StateAvailable)
		if err := errors.Join(watch(data, nil, nil), watch(data, nil, &env.WatchEvent{Type: env.EventNone})); err != nil {
			t.Fatal(err)
		}
		want := "ps:0/1:30"
		if keep.Keeps(quirks.Q114) {
			want = "ps:0/1:0"
		}
		if got := statesOf(w); got != want {
			t.Errorf("mirror: got %s, want %s", got, want)
		}
	})
}

// Goal: if a watch cannot be set, the watch on its parent reports the error. In the reference, the
// function of that watch raises an OSError (recorded from replica_manager.py:103-148).
func TestAWatchThatCannotBeSetIsAnErrorOfTheOneAboveIt(t *testing.T) {
	for _, test := range []struct {
		name    string
		dcAware bool
		above   []string // children of the prefix, then of the prefix's first child, and so on
	}{
		{"a location", true, []string{"fails:1"}},
		{"a task of a location", true, []string{"i:c", "fails:0"}},
		{"a task", false, []string{"fails:0"}},
		{"a replica", false, []string{"ps:0", "fails"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, zk := watchingByHand(t, "dc_aware", test.dcAware)
			at := "/b/service/n"
			for i, name := range test.above {
				err := zk.children[at]([]string{name})
				if want := i == len(test.above)-1; (pysem.TypeOf(err) == "OSError") != want {
					t.Errorf("%s below %s: got %v, want an OSError %t", name, at, err, want)
				}
				at = path.Join(at, name)
			}
		})
	}
}
