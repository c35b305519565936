package steps

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners"
)

func TestSubjectsOfSteps(t *testing.T) {
	for text, want := range map[string]subjects{
		"within 5s shard0-replica1 has service info":                       {pods: []string{"shard0-replica1"}},
		"for 60s ctr:entry is bound to shard1-replica0":                    {pods: []string{"shard1-replica0"}, models: []string{"ctr:entry"}},
		"znode /a/b:c exists":                                              {paths: []string{"/a/b:c"}},
		"every pod runs":                                                   {pods: []string{"shard2-replica0"}},
		"the model server of shard0-replica0 has version 1 of default END": {pods: []string{"shard0-replica0"}, models: []string{"default"}},
	} {
		got := subjectsOf(text, errors.New("agent of shard2-replica0, want running, got ended"))
		if len(want.pods) == 0 {
			want.pods = []string{"shard2-replica0"} // pods that the error names
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(subjects{})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestExplanationIsOfTheSubjects(t *testing.T) {
	log := []runners.Observation{
		{At: 1, Pod: "scenario", Op: "remark", Note: "the cluster starts"},
		{At: 2, Pod: "a", Op: "rpc", Path: "Status", Peer: "a", Note: "m:g: OK", Cause: 1},
		{At: 3, Pod: "b", Op: "process.exit", Path: "agent", Note: "code 1", Cause: 1},
		{At: 4, Pod: "a", Op: "rpc", Path: "Status", Peer: "a", Note: "m:g: OK", Cause: 2},
		{At: 5, Pod: "a", Op: "process.exit", Path: "agent", Note: "code 2", Cause: 2},
	}
	got := explanation(log, 0, subjects{pods: []string{"a"}}, 20)
	want := []string{
		"what happened to a until then:",
		"[1]  t+0.000s    scenario the cluster starts",
		"[2]  t+0.000s    a        calls Status of a: m:g: OK (2 times since t+0.000s), because of t+0.000s: a calls Status of a: m:g: OK",
		"[3]  t+0.000s    a        agent[0] ends with code 2, because of t+0.000s: a calls Status of a: m:g: OK",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	short := explanation(log, 0, subjects{pods: []string{"a"}}, 3)
	if len(short) != 3 || !strings.Contains(short[0], "(1 more with --explain 4)") || !strings.Contains(short[2], "ends with code 2") {
		t.Errorf("in 3 lines: want the remark and the exit, and that there is 1 more, got %q", short)
	}
}

// Goal: how often an agent checks its model server is told from two of its checks on, and as the time
// between them.
func TestAnAgentsRhythmNeedsTwoChecks(t *testing.T) {
	check := func(at time.Duration) runners.Observation {
		return runners.Observation{At: at, Pod: "shard0-replica0", Peer: "shard0-replica0", Op: "rpc", Path: "GetModelStatus"}
	}
	log := []runners.Observation{{At: time.Second, Pod: "shard0-replica0", Op: "process.start", Path: "bin/agent_service"}, check(47 * time.Second)}
	if lines := awaited(log, subjects{}, 48*time.Second); len(lines) > 0 {
		t.Errorf("after one check: found %q, want nothing", lines)
	}
	lines := awaited(append(log, check(57*time.Second)), subjects{}, 58*time.Second)
	want := "the agent of shard0-replica0 looks at its model server every 10s, next at about t+67.000s"
	if len(lines) != 1 || lines[0] != want {
		t.Errorf("after two checks: found %q, want %q", lines, want)
	}
}
