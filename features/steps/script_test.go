package steps_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simrun"
)

func scriptSpec() runners.Spec {
	return runners.Spec{
		Seed: 1, Conf: runners.ConfV3, Shards: 1, Replicas: 2, Detail: true,
		Models: []runners.Model{{Name: "ctr", BasePath: "/store/ctr", SubGraphs: []runners.SubGraph{{Name: "entry", SizeBytes: 1000, Versions: []int64{1}}}}},
	}
}

// Goal: at its times, a script does what the same steps of a scenario would do. Method: play a
// script in the order of time, and look at when faults began and ended, and where a version was
// exported to.
func TestAScriptActsAtItsTimes(t *testing.T) {
	lines := steps.ScriptLines("x.script", `
# an outage of half an hour
20m: ZooKeeper is down for 30m
t+10m: version 2 of ctr:entry is exported
15m: version 2 of ctr:entry breaks for 1h
	70m: for 30s every pod runs
`)
	acts, err := steps.ReadScript(lines, &simrun.Runner{}, scriptSpec(), 2*time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	c, err := (&simrun.Runner{}).Build(scriptSpec())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for _, a := range acts {
		if _, err := c.Pass(a.At-c.Now(), nil); err != nil {
			t.Fatal(err)
		}
		if err := a.Do(c); err != nil || c.Now() != a.Until {
			t.Errorf("%s: got error %v and %v, want it over at %v", a.Text, err, c.Now(), a.Until)
		}
	}
	if _, err := c.Pass(time.Hour, nil); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range c.Log() {
		if strings.HasPrefix(o.Op, "fault.") {
			got = append(got, strings.TrimSpace(o.At.String()+" "+o.Op+" "+o.Path+" "+o.Note))
		}
	}
	want := []string{
		"15m0s fault.begin version.broken /store/ctr/entry 2", "20m0s fault.begin zookeeper.down",
		"50m0s fault.end zookeeper.down", "1h15m0s fault.end version.broken /store/ctr/entry 2",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

func TestAnAssertionOfAScriptFails(t *testing.T) {
	acts, err := steps.ReadScript([]steps.ScriptLine{{Where: "--at", Text: "1s: shard0-replica1 has ended"}}, &simrun.Runner{}, scriptSpec(), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	c, err := (&simrun.Runner{}).Build(scriptSpec())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Pass(time.Second, nil); err != nil {
		t.Fatal(err)
	}
	if err := acts[0].Do(c); err == nil || !strings.Contains(err.Error(), "shard0-replica1") {
		t.Errorf("an assertion that does not hold: got %v, want an error about shard0-replica1", err)
	}
}

func TestAScriptThatMakesNoSenseIsRefused(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"soon: ZooKeeper is down", `x:1: found "soon", want a time of the run, a colon and a sentence`},
		{"ZooKeeper is down", `want a time of the run, a colon and a sentence`},
		{"-5m: ZooKeeper is down", "want a time of the run"},
		{"3h: ZooKeeper is down", "x:1: found 3h0m0s, want a time before the end of the run at 2h0m0s"},
		{"1h: ZooKeeper falls over", "no sentence says\n    ZooKeeper falls over\n  did you mean"},
		{"1h: ZooKeeper is down for 10minutes", "{duration} takes a time"},
		{"1h: 10m pass", "want no time to pass but by the times of the script"},
		{"1h: a v3 cluster of 1 shard with 1 replica", "want something that is done to a cluster that runs"},
		{"1h: the agent of shard0-replica2 is killed", "found shard0-replica2, want one of the cluster: shard0-replica0, shard0-replica1"},
		{"1h: shard0-replica0 is cut off from idc hl", "idc: found hl, want one that has a pod: lf"},
		{"1h: for 2h every pod runs", "want an end before that of the run"},
		{"1h: ctr:entry is declared with policy \"newest\"", `version policy: found "newest"`},
		{"1h: for 10m every pod runs\n1h5m: ZooKeeper is down", `x:2: found "ZooKeeper is down" at 1h5m0s, want nothing before 1h10m0s, until when "for 10m every pod runs" of x:1 waits`},
	} {
		_, err := steps.ReadScript(steps.ScriptLines("x", c.text), &simrun.Runner{}, scriptSpec(), 2*time.Hour)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.text, err, c.want)
		}
	}
}
