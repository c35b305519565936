package simrun_test

import (
	"errors"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simrun"
)

// buildBare builds a cluster of one model server without an agent, which serves no model yet.
func buildBare(t *testing.T) *simrun.Cluster {
	t.Helper()
	c := build(t, runners.Spec{
		Seed: 1, BareServer: &runners.BareServerSpec{Flags: []string{"--model_config_file=/etc/models.conf"}},
		Models: v3Spec().Models,
	})
	do(t, c.WriteModelConfig("/etc/models.conf", []runners.ServedModel{}))
	do(t, c.StartPod(runners.BareServer))
	pass(t, c, time.Second)
	return c
}

var ctrEntry = runners.ServedModel{Name: "ctr:entry", BasePath: "/models/ctr/entry", Platform: "tensorflow"}

// Goal: a call ends exactly at its deadline, to the nanosecond, in whatever steps time passes.
func TestACallEndsAtItsDeadline(t *testing.T) {
	c := buildBare(t)
	lost := ctrEntry
	lost.BasePath = "/models/lost"
	reload, err := c.Reload(runners.BareServer, "", []runners.ServedModel{lost}, 5*time.Second)
	do(t, err)
	pass(t, c, 5*time.Second-time.Nanosecond)
	if a, ok := reload.Answer(); ok {
		t.Fatalf("before the deadline: got %+v, want no answer", a)
	}
	pass(t, c, time.Nanosecond)
	a, ok := reload.Answer()
	var rpc *env.RPCError
	if !ok || !errors.As(a.Err, &rpc) || rpc.Code != rpcerrors.DeadlineExceeded || a.Took != 5*time.Second {
		t.Errorf("at the deadline: got %+v (answered: %t), want DEADLINE_EXCEEDED after 5s", a, ok)
	}
}

// Goal: a storage fault hides the content of a base path. Its end restores the content
// together with versions that were exported meanwhile.
func TestStorageFaultsEnd(t *testing.T) {
	const base = "/models/ctr/entry"
	for _, fault := range []runners.Fault{{Kind: "store.absent", BasePath: base}, {Kind: "store.empty", BasePath: base}, {Kind: "store.unreadable", BasePath: base}} {
		c := buildBare(t)
		reload, err := c.Reload(runners.BareServer, "", []runners.ServedModel{ctrEntry}, 0)
		do(t, err)
		do(t, c.BeginFault(fault))
		pass(t, c, 10*time.Second)
		if a, ok := reload.Answer(); ok {
			t.Errorf("%s: the reload was answered: %+v", fault.Kind, a)
		}
		if fault.Kind != "store.absent" {
			do(t, c.ExportVersion(base, 2, 1e6))
		}
		do(t, c.EndFault(fault))
		if fault.Kind == "store.absent" {
			do(t, c.ExportVersion(base, 2, 1e6))
		}
		pass(t, c, 10*time.Second)
		versions, err := c.ModelStatus(runners.BareServer, "", "ctr:entry")
		do(t, err)
		if len(versions) == 0 || versions[0].Version != 2 || versions[0].State != env.StateAvailable {
			t.Errorf("%s: got %+v, want version 2 AVAILABLE first", fault.Kind, versions)
		}
	}
}

// Goal: version policies are parsed in the form that scenarios use.
func TestPoliciesOfServedModels(t *testing.T) {
	tests := []struct {
		policy string
		good   bool
	}{
		{"", true}, {"all", true}, {"latest 2", true}, {"specific 1, 2", true},
		{"latest", false}, {"latest x", false}, {"newest 1", false}, {"all 1", false},
	}
	for _, test := range tests {
		model := ctrEntry
		model.Policy = test.policy
		_, err := buildBare(t).Reload(runners.BareServer, "", []runners.ServedModel{model}, time.Second)
		if (err == nil) != test.good {
			t.Errorf("policy %q: got error %v, want one: %t", test.policy, err, !test.good)
		}
	}
}
