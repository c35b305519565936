package runners_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/monosim/monosim/runners"
)

// asked is an agent that answers GetReplicas for one task.
type asked struct {
	runners.Observer
	kind string
	task int
}

func (a asked) GetReplicas(_, kind string, task int) ([]string, error) {
	if kind != a.kind || task != a.task {
		return nil, errors.New("another task")
	}
	return []string{"10.0.0.1:8500"}, nil
}

func (asked) Pods() []runners.Pod { return []runners.Pod{{Name: "shard0-replica0"}} }

func (asked) PodState(string) (runners.PodState, error) {
	return runners.PodState{IP: "10.0.0.1", Others: []int{8501}}, nil
}

// Goal: an address counts as its pod's only if its port may be that of a model server's gRPC.
func TestPodsAt(t *testing.T) {
	for addr, want := range map[string]string{
		"10.0.0.1:8500": "shard0-replica0", "10.0.0.1:8501": "10.0.0.1:8501", "10.0.0.1:x": "shard0-replica0",
		"10.0.0.1:None": "10.0.0.1:None", "10.0.0.2:8500": "10.0.0.2:8500",
	} {
		if got, err := runners.PodsAt(asked{}, []string{addr}); err != nil || !slices.Equal(got, []string{want}) {
			t.Errorf("%s: got %v (%v), want %s", addr, got, err, want)
		}
	}
}

// Goal: an agent is asked for the task that a key names, and the answer is told by pods.
func TestListedAlone(t *testing.T) {
	o := asked{kind: "ps", task: 12}
	if got, err := runners.ListedAlone(o, "shard0-replica0", "ps:12"); err != nil || !slices.Equal(got, []string{"shard0-replica0"}) {
		t.Errorf("got %v (%v), want the pod at that address", got, err)
	}
	for _, key := range []string{"ps:1", "entry:12", "ps:x", "ps"} {
		if got, err := runners.ListedAlone(o, "shard0-replica0", key); err == nil {
			t.Errorf("%s: got %v, want an error", key, got)
		}
	}
}
